import { randomUUID } from 'node:crypto';
import { expectDocumented } from './contract.js';
import { type Application } from './service.js';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { success: boolean; message?: string; data: Record<string, unknown> };
}

type Callee = Pick<Application, 'url'> & Partial<Pick<Application, 'output' | 'repeatsChanges' | 'repeatsUnserved'>>;

interface Options {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** The beginning of the message about a change whose read model lags. */
const NOT_SHOWN = 'The change is recorded, but not yet in force. The read model';
/** A 503 about a read model that catches up by itself. One that an operator has to mend names its read model, too. */
const OF_READ_MODEL = /^The read model \w+ does not show/;
/** Lines of a service's output that an error shows. */
const LINES_SHOWN = 10;

/**
 * Sends a request as any HTTP client would, and checks the response against the OpenAPI document.
 * @throws Error with the last lines that the service has printed, if there is no response
 */
export async function call(service: Callee, method: string, path: string, options: Options = {}): Promise<ApiResponse> {
  for (;;) {
    const response = await send(service, method, path, options);
    const isBehind = response.status === 503 && OF_READ_MODEL.test(response.body.message ?? '');
    const isNotShown = service.repeatsChanges && (isBehind || response.body.message?.startsWith(NOT_SHOWN));
    if (!isNotShown && !(service.repeatsUnserved && isUnserved(response))) return response;
  }
}

/** Whether a store or a read model was too slow for a call: a 503 for another reason, such as maintenance, is the response that a test sees. */
function isUnserved({ status, body }: ApiResponse): boolean {
  return status === 503 && (body as { readonly code?: string }).code === 'unavailable';
}

async function send(service: Callee, method: string, path: string, options: Options): Promise<ApiResponse> {
  const json = options.body === undefined ? {} : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) };
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }), ...options.headers },
    ...json,
  }).catch((error: unknown) => {
    const printed = service.output?.().trimEnd().split('\n').slice(-LINES_SHOWN).join('\n') ?? '';
    throw new Error(`${method} ${path} got no response. The service has printed:\n${printed}`, { cause: error });
  });
  const body = (await response.json()) as ApiResponse['body'];
  expectDocumented(method, path, response.status, response.headers, body);
  return { status: response.status, headers: response.headers, body };
}

export async function admin(service: Application, method: string, path: string, body?: unknown): Promise<ApiResponse> {
  const headers = { Authorization: `Bearer ${service.adminToken}` };
  return await call(service, method, `/admin/v1${path}`, { headers, ...(body === undefined ? {} : { body }) });
}

export interface TestPartner {
  readonly partner_id: string;
  readonly key: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  lookup(rupa_id: string, more?: object): Promise<ApiResponse>;
}

/** Creates a partner with an API key; unless `over` says otherwise, it is active and has NGN 100,000. */
export async function makePartner(
  service: Application,
  over: { account_type?: string; mode?: string; company_name?: string; active?: boolean; credit?: number } = {},
): Promise<TestPartner> {
  const { account_type = 'bank', mode = 'live', company_name = 'Test', active = true, credit = 100_000 } = over;
  const made = (path: string, body?: unknown) => whenServed(() => admin(service, 'POST', `/partners${path}`, body));
  const { partner_id } = (await made('', { company_name, account_type, mode })).body.data as { partner_id: string };
  if (active) await made(`/${partner_id}/activate`);
  if (credit > 0) await made(`/${partner_id}/wallet/credits`, { amount: credit, reference: 'opening' });
  const { api_key } = (await made(`/${partner_id}/api-keys`, {})).body.data as { api_key: string };
  return partnerWith(service, partner_id, api_key);
}

/** Repeats a call until it gets another response than 503. On a busy machine, read models lag longer than a change or a read waits for them. */
export async function whenServed<T extends { readonly status: number }>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const response = await call();
    if (response.status !== 503) return response;
    if (response instanceof Response) await response.body?.cancel();
  }
}

/** Returns the evidence file of the whole log, as an auditor fetches it. */
export async function evidenceFile({ url, auditorToken }: Pick<Application, 'url' | 'auditorToken'>): Promise<string> {
  const headers = { Authorization: `Bearer ${auditorToken}` };
  return await (await whenServed(() => fetch(`${url}/admin/v1/evidence`, { headers }))).text();
}

/** A call that got a 503 is sent again, although it may have been recorded. Without a key it would create a second endpoint or contribution. */
function onceOnly({ repeatsChanges }: Callee, method: string, path: string): Record<string, string> {
  return repeatsChanges && method === 'POST' && !path.startsWith('/lookup') ? { 'Idempotency-Key': randomUUID() } : {};
}

export function partnerWith(service: Application, partner_id: string, key: string): TestPartner {
  const own: TestPartner['call'] = (method, path, body, headers = {}) => {
    const all = { 'X-API-KEY': key, ...onceOnly(service, method, path), ...headers };
    return call(service, method, `/v1/rupa${path}`, { headers: all, ...(body === undefined ? {} : { body }) });
  };
  return { partner_id, key, call: own, lookup: (rupa_id, more = {}) => own('POST', '/lookup', { rupa_id, ...more }) };
}

export async function balanceOf(service: Application, { partner_id }: TestPartner): Promise<number> {
  return (await read(service, `/partners/${partner_id}/wallet`)).balance as number;
}

interface Entry {
  readonly type: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly lookup_id: string | null;
  readonly reference: string | null;
  readonly recorded_at: string;
  readonly revision: number;
  readonly hash: string;
}

/** Tries of a list whose read model lags; each waits for two seconds. A test may have stopped the projector. */
const LIST_ATTEMPTS = 30;

/** Returns every entry of a wallet, once the list shows the last one of the log. On a busy machine, read models lag longer than a call waits. */
export async function entriesOf(service: Application, partner: TestPartner): Promise<Entry[]> {
  const { revision } = (await read(service, `/partners/${partner.partner_id}/wallet`)) as { revision: number | null };
  for (let attempt = 1; ; attempt += 1) {
    const found = await listedEntriesOf(service, partner);
    if ((found.at(-1)?.revision ?? -1) >= (revision ?? -1) || attempt === LIST_ATTEMPTS) return found;
  }
}

async function listedEntriesOf(service: Application, { partner_id }: TestPartner): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page = (await read(service, `/partners/${partner_id}/wallet/entries?from=${from}&limit=1000`)) as {
      entries: Entry[];
      next: number | null;
    };
    found.push(...page.entries);
    from = page.next;
  }
  return found;
}

/** Reads a resource of the administration; no test reads one of these while a store is out. */
async function read(service: Application, path: string): Promise<Record<string, unknown>> {
  return (await whenServed(() => admin(service, 'GET', path))).body.data;
}
