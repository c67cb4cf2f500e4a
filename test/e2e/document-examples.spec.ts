import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, type Operation, operationsOf } from '../../src/documentation/openapi/parts.js';
import { EXAMPLE } from '../../src/http/openapi/properties.js';
import { startApplication } from '../support/application.js';
import { expectDocumented } from '../support/contract.js';
import { exampleCall, successesOf } from '../support/document-calls.js';
import { type TestService } from '../support/service.js';

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
/** What the service assigns, by the operation whose response has it: the name in paths, and the place in `data`. */
const ASSIGNS: Readonly<Record<string, readonly [name: string, place: string]>> = {
  registerPartner: ['partners.id', 'partner_id'],
  issueApiKey: ['key', 'api_key'],
  issueUnlinkedApiKey: ['api-keys.keyId', 'key_id'],
  lookUpFarmer: ['lookups.lookupId', 'billing.lookup_id'],
  registerWebhook: ['webhooks.id', 'id'],
  testWebhook: ['deliveries.deliveryId', 'id'],
  verifyProjection: ['jobs.jobId', 'job_id'],
};
/** Statuses of what is true a moment later, once a charge is settled, a delivery sent or a job done. */
const NOT_YET: readonly number[] = [404, 409, 503];
const ATTEMPTS = 50;

let service: TestService;
let document: Document;
let calls: readonly Call[];
const assigned = new Map<string, string>();

beforeAll(async () => {
  // No endpoint of an example exists: a delivery ends with its only attempt.
  service = await startApplication({ WEBHOOK_RETRY_SCHEDULE_SECONDS: '0' });
  document = (await (await fetch(`${service.url}/docs-json`)).json()) as Document;
  calls = operationsOf(document.paths).toSorted((one, other) => rank(one) - rank(other));
});
afterAll(() => service.stop());

describe('the examples of the OpenAPI document', () => {
  it('get the documented success if they are sent as they are, with the ids that the service assigned', async () => {
    expect(calls.length).toBeGreaterThan(70);
    const refused: string[] = [];
    for (const call of calls) {
      const { operationId = '' } = call.operation;
      const { status, text } = await sent(call);
      if (!successesOf(call.operation).includes(status)) refused.push(`${operationId}: ${status} ${text.slice(0, 300)}`);
      const [name, place] = ASSIGNS[operationId] ?? [];
      if (name !== undefined && place !== undefined) assigned.set(name, valueAt((JSON.parse(text) as { data: unknown }).data, place));
    }
    expect(refused).toStrictEqual([]);
  });
});

async function sent(call: Call): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(call);
    if (!NOT_YET.includes(answer.status) || attempt === ATTEMPTS) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function send(call: Call): Promise<Answer> {
  const { method, path, headers, body } = exampleCall(call, document, (parameter, template) => {
    const [, kind] = new RegExp(`([^/]+)/\\{${parameter}\\}`).exec(template) ?? [];
    return assigned.get(`${kind}.${parameter}`);
  });
  const text = body === undefined ? undefined : JSON.stringify(body).replaceAll(EXAMPLE.partner_id, assigned.get('partners.id') ?? '');
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
