import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, type Operation, operationsOf, type Parameter, resolved } from '../../src/documentation/openapi/parts.js';
import { EXAMPLE } from '../../src/http/openapi/properties.js';
import { startApplication } from '../support/application.js';
import { makePartner } from '../support/client.js';
import { expectDocumented } from '../support/contract.js';
import { exampleCall, successesOf } from '../support/document-calls.js';
import { openPatiently } from '../support/patient-log.js';
import { requestCredit } from '../support/pending-approval.js';
import { storesOf } from '../support/service-log.js';
import { type Application, type TestService } from '../support/service.js';

interface Call {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Calls that make what others need, in this order. All others follow in the order of the document. */
const FIRST = [
  'registerPartner',
  'activatePartner',
  'issueApiKey',
  'issueUnlinkedApiKey',
  'creditWallet',
  'recordFarmer',
  'addPlayMoney',
  'lookUpFarmer',
  'registerWebhook',
  'testWebhook',
  'triggerEvent',
  'makeCheckpoint',
  'verifyProjection',
];
/** Calls that end what others need, in this order. */
const LAST = [
  'releaseConsent',
  'resetSandbox',
  'disableWebhook',
  'deleteWebhook',
  'cancelScheduledPriceBook',
  'eraseFarmer',
  'setIpAllowList',
  'deactivateApiKey',
  'deactivatePartner',
  'beginMaintenance',
  'endMaintenance',
];
/** The service assigns these values in the responses of operations: the name in paths, and the place in `data`. */
const ASSIGNS: Readonly<Record<string, readonly [name: string, place: string]>> = {
  registerPartner: ['partners.id', 'partner_id'],
  issueApiKey: ['key', 'api_key'],
  issueUnlinkedApiKey: ['api-keys.keyId', 'key_id'],
  lookUpFarmer: ['lookups.lookupId', 'billing.lookup_id'],
  registerWebhook: ['webhooks.id', 'id'],
  testWebhook: ['deliveries.deliveryId', 'id'],
  verifyProjection: ['jobs.jobId', 'job_id'],
};
/** Calls that need one of two parameters, or whose default, the last entry of a wallet, no checkpoint covers yet. */
const NEEDS_QUERY = ['findLookups', 'getOwnWalletProof'];
/** A call is sent again after these statuses, because a charge is settled, a delivery sent or a job done a moment later. */
const NOT_YET: readonly number[] = [404, 409, 503];
/** Half a minute at least: an example that is wrong is refused each time, and must fail with its response. */
const ATTEMPTS = 300;

/** The token has a name, because only a person with one approves a call. */
const TOKEN = 'the-token-of-the-examples';

let started: TestService;
let service: Application;
let document: Document;
let calls: readonly Call[];
const assigned = new Map<string, string>();

beforeAll(async () => {
  // No endpoint of an example exists: a delivery ends with its only attempt.
  started = await startApplication({ WEBHOOK_RETRY_SCHEDULE_SECONDS: '0', ADMIN_TOKEN: `examples:${TOKEN}` });
  service = { ...started, adminToken: TOKEN };
  document = (await (await fetch(`${service.url}/docs-json`)).json()) as Document;
  calls = operationsOf(document.paths).toSorted((one, other) => rank(one) - rank(other));
});
afterAll(() => started.stop());

describe('the examples of the OpenAPI document', () => {
  it('get the documented success if they are sent as they are, with the ids that the service assigned, and if optional parameters of a query are empty', async () => {
    expect(calls.length).toBeGreaterThan(70);
    const refused: string[] = [];
    for (const call of calls) {
      const { operationId = '' } = call.operation;
      if (['approveCall', 'rejectCall'].includes(operationId)) assigned.set('approvals.id', await requestOfOther());
      const { status, text } = await sent(call);
      if (!successesOf(call.operation).includes(status)) refused.push(`${operationId}: ${status} ${text.slice(0, 300)}`);
      const empty = withEmptyQuery(call);
      const answer = empty ? await sent(empty) : undefined;
      if (answer && !successesOf(call.operation).includes(answer.status))
        refused.push(`${operationId} with empty parameters: ${answer.status} ${answer.text.slice(0, 300)}`);
      const [name, place] = ASSIGNS[operationId] ?? [];
      if (name !== undefined && place !== undefined) assigned.set(name, valueAt((JSON.parse(text) as { data: unknown }).data, place));
    }
    expect(refused).toStrictEqual([]);
  });

  it('are refused with a field that the document does not name, in each body', async () => {
    assigned.set('key', (await makePartner(service, { mode: 'sandbox' })).key);
    const withBody = calls.filter(takesJson);
    expect(withBody.length).toBeGreaterThan(20);
    const taken: string[] = [];
    for (const call of withBody) {
      const { status, text } = await send(call, (body) => ({ ...body, unlisted: true }));
      if (status !== 422 || !text.includes('The unlisted field is not known.'))
        taken.push(`${call.operation.operationId}: ${status} ${text}`);
    }
    expect(taken).toStrictEqual([]);
  });

  it.each(['null', '[]'])('are refused with %s in place of each body', async (json) => {
    assigned.set('key', (await makePartner(service, { mode: 'sandbox' })).key);
    const taken: string[] = [];
    for (const call of calls.filter(takesJson)) {
      const { status, text } = await send(call, () => JSON.parse(json) as object);
      if (status !== 422 || !text.includes('The body must be a JSON object.'))
        taken.push(`${call.operation.operationId}: ${status} ${text}`);
    }
    expect(taken).toStrictEqual([]);
  });
});

/** Returns the id of a call that another person made, and that waits for approval. */
async function requestOfOther(): Promise<string> {
  const eventStore = openPatiently((await storesOf(service)).eventStoreUrl);
  return await requestCredit(eventStore, assigned.get('partners.id') ?? '').finally(() => eventStore.close());
}

async function sent(call: Call): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(call);
    if (!NOT_YET.includes(answer.status) || attempt === ATTEMPTS) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns a call that reads, with each optional parameter of its query empty; undefined if it has none. */
function withEmptyQuery({ operation, ...call }: Call): Call | undefined {
  const parameters = (operation.parameters ?? []).map((each) => resolved(each, document));
  const isOptional = (parameter: Parameter): boolean => parameter.in === 'query' && parameter.required !== true;
  if (call.method !== 'get' || NEEDS_QUERY.includes(operation.operationId ?? '') || !parameters.some(isOptional)) return undefined;
  return {
    ...call,
    operation: { ...operation, parameters: parameters.map((each) => (isOptional(each) ? { ...each, example: '' } : each)) },
  };
}

/** @param changed makes another body of the one of the example */
async function send(call: Call, changed = (body: object): object => body): Promise<Answer> {
  const { method, path, headers, body } = exampleCall(call, document, (parameter, template) => {
    const [, kind] = new RegExp(`([^/]+)/\\{${parameter}\\}`).exec(template) ?? [];
    return assigned.get(`${kind}.${parameter}`);
  });
  const json = typeof body === 'object' ? JSON.stringify(changed(body)) : body;
  const text = json?.replaceAll(EXAMPLE.partner_id, assigned.get('partners.id') ?? '');
  const response = await fetch(service.url + path, {
    method,
    headers: { ...headers, ...credentialsOf(call.operation) },
    ...(text === undefined ? {} : { body: text }),
  });
  const received = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  if (isJson) expectDocumented(method, path, response.status, response.headers, JSON.parse(received));
  return { status: response.status, text: received };
}

function takesJson({ operation: { requestBody } }: Call): boolean {
  return requestBody !== undefined && 'application/json' in requestBody.content;
}

function credentialsOf({ security = [] }: Operation): Record<string, string> {
  const schemes = security.flatMap(Object.keys);
  if (schemes.includes('partner')) return { 'X-API-KEY': assigned.get('key') ?? '' };
  return schemes.includes('administrator') ? { Authorization: `Bearer ${service.adminToken}` } : {};
}

function rank({ operation: { operationId = '' } }: Call): number {
  if (FIRST.includes(operationId)) return FIRST.indexOf(operationId) - FIRST.length;
  return LAST.indexOf(operationId) + 1;
}

function valueAt(data: unknown, place: string): string {
  return String(place.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], data));
}
