import { until } from '../support/until.js';
import { type BenchService } from './service-process.js';

type Target = Pick<BenchService, 'url' | 'adminToken'>;

/** Sends a request and returns the `data` of the response. @throws Error for a status other than 2xx. */
export async function call<T>(
  { url }: Pick<BenchService, 'url'>,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<T> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...json,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} got status ${response.status}: ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { data: T }).data;
}

export async function admin<T>(service: Target, method: string, path: string, body?: unknown): Promise<T> {
  return await call<T>(service, method, `/admin/v1${path}`, { Authorization: `Bearer ${service.adminToken}` }, body);
}

export interface Partner {
  readonly partner_id: string;
  readonly key: string;
}

/** Credit of a partner, enough for all lookups of a run. */
const CREDIT_NGN = 10_000_000_000;
const CONCURRENT_PARTNERS = 16;

/** Creates an active partner with a funded wallet and an API key. */
export async function createPartner(service: Target, company_name: string, mode: 'live' | 'sandbox' = 'live'): Promise<Partner> {
  const { partner_id } = await admin<{ partner_id: string }>(service, 'POST', '/partners', { company_name, account_type: 'bank', mode });
  await admin(service, 'POST', `/partners/${partner_id}/activate`);
  await admin(service, 'POST', `/partners/${partner_id}/wallet/credits`, { amount: CREDIT_NGN, reference: 'opening' });
  const { api_key } = await admin<{ api_key: string }>(service, 'POST', `/partners/${partner_id}/api-keys`, {});
  return { partner_id, key: api_key };
}

export async function createPartners(service: Target, count: number, mode: 'live' | 'sandbox' = 'live'): Promise<Partner[]> {
  const partners: Partner[] = [];
  for (let from = 0; from < count; from += CONCURRENT_PARTNERS) {
    const numbers = Array.from({ length: Math.min(CONCURRENT_PARTNERS, count - from) }, (_, index) => from + index);
    partners.push(...(await Promise.all(numbers.map((number) => createPartner(service, `Bench ${number}`, mode)))));
  }
  return partners;
}

export async function lookUp(service: Pick<BenchService, 'url'>, key: string, rupa_id: string): Promise<unknown> {
  return await call(service, 'POST', '/v1/rupa/lookup', { 'X-API-KEY': key }, { rupa_id });
}

const CATCHING_UP = { everyMs: 100, giveUpMs: 600_000, otherwise: 'The read models did not catch up with the log within 10 minutes.' };

/**
 * Waits until every read model shows the whole log, so that a measurement includes all the work that it causes. Readiness would not tell: it
 * allows a lag of half a minute.
 */
export async function untilCaughtUp(service: Pick<BenchService, 'url' | 'adminToken'>): Promise<void> {
  await until(async () => {
    const { projections } = await admin<{ readonly projections: readonly { readonly lag: number }[] }>(service, 'GET', '/projections');
    return projections.every(({ lag }) => lag === 0);
  }, CATCHING_UP);
}
