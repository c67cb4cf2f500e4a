import { randomUUID } from 'node:crypto';
import { admin, type ApiResponse, makePartner, type TestPartner, whenServed } from './client.js';
import { type Application } from './service.js';
import { until } from './until.js';

/** The partners, farmers and endpoints that the calls of a round name. Some calls change them, so each round has its own. */
export interface RouteWorld {
  /** A live partner with a lookup, a report, a consent, endpoints and a delivery. */
  readonly partner: TestPartner;
  readonly sandboxPartner: TestPartner;
  /** A partner that only administrators' calls change. */
  readonly changedPartner: string;
  readonly rupaId: string;
  readonly erasedFarmer: string;
  readonly lookupId: string;
  readonly endpoint: number;
  readonly deletedEndpoint: number;
  readonly disabledEndpoint: number;
  /** An endpoint whose deliveries administrators recover. A recovery supersedes an earlier one of the endpoint. */
  readonly recoveredEndpoint: number;
  readonly deliveryId: number;
  readonly unlinkedKey: string;
  readonly deactivatedKey: string;
  /** The month of the live books that is to be closed next. */
  readonly openMonth: string;
  readonly fees: Readonly<Record<string, number>>;
}

/** The reference of the credit that {@link makePartner} gives. */
export const OPENING = 'opening';
/** A month of the live books that is closed. */
export const CLOSED_MONTH = '2020-01';

type Made = Record<string, unknown>;

export async function makeRouteWorld(api: Application): Promise<RouteWorld> {
  const [rupaId, erasedFarmer] = [`rp-${randomUUID()}`, `rp-${randomUUID()}`];
  const openMonth = await openMonthOf(api);
  const [charged, sandboxPartner, changed, unlinked, book] = await Promise.all([
    makeCharged(api, rupaId),
    makePartner(api, { mode: 'sandbox', active: false, credit: 0 }),
    makeChanged(api),
    made(api, 'POST', '/api-keys', {}),
    made(api, 'GET', '/price-book'),
    made(api, 'PUT', `/farmers/${erasedFarmer}`, { identity: { first_name: 'Ladi' } }),
    made(api, 'POST', '/ledger/entries', {
      kind: 'opening_balance',
      account: 'passthrough_payable.bvn',
      amount: 5,
      reference: randomUUID(),
      reason: 'owed before',
    }),
  ]);
  return {
    ...charged,
    ...changed,
    sandboxPartner,
    openMonth,
    rupaId,
    erasedFarmer,
    unlinkedKey: String(unlinked.key_id),
    fees: book.fees as Record<string, number>,
  };
}

type Charged = Omit<RouteWorld, 'sandboxPartner' | 'openMonth' | 'rupaId' | 'erasedFarmer' | 'unlinkedKey' | 'fees' | keyof Changed>;
type Changed = Pick<RouteWorld, 'changedPartner' | 'deactivatedKey'>;

/** Returns the month to be closed next, after an entry of long ago has begun the books and its month was closed. */
async function openMonthOf(api: Application): Promise<string> {
  const months = async (): Promise<readonly { readonly period: string; readonly status: string }[]> =>
    (await made(api, 'GET', '/ledger/periods')).periods as readonly { period: string; status: string }[];
  const entry = { kind: 'bank_charge', amount: 1, date: `${CLOSED_MONTH}-31`, reference: randomUUID(), reason: 'of long ago' };
  if ((await months()).length === 0) await made(api, 'POST', '/ledger/entries', entry);
  await made(api, 'POST', `/ledger/periods/${CLOSED_MONTH}/close`, {});
  return (await months()).find(({ status }) => status === 'open')?.period ?? '';
}

async function makeCharged(api: Application, rupaId: string): Promise<Charged> {
  const [partner] = await Promise.all([makePartner(api), made(api, 'PUT', `/farmers/${rupaId}`, { identity: { first_name: 'Aisha' } })]);
  const own = async (method: string, path: string, body?: object): Promise<Made> =>
    dataOf(await whenServed(() => partner.call(method, path, body)));
  const register = async (): Promise<number> => (await own('POST', '/webhooks', { url: 'https://example.com/hook' })).id as number;
  const [endpoint, deletedEndpoint, disabledEndpoint, recoveredEndpoint] = await Promise.all([
    register(),
    register(),
    register(),
    register(),
    own('POST', '/lookup', { rupa_id: rupaId }),
    own('POST', '/report', reportOf(rupaId)),
  ]);
  const [{ id: deliveryId }, lookupId] = await Promise.all([
    own('POST', `/webhooks/${endpoint}/test`),
    settledLookup(() => own('GET', '/lookups')),
    made(api, 'POST', '/checkpoints'),
  ]);
  return { partner, lookupId, endpoint, deletedEndpoint, disabledEndpoint, recoveredEndpoint, deliveryId: deliveryId as number };
}

/** Returns the id of the partner's lookup, once its charge is settled. */
async function settledLookup(list: () => Promise<Made>): Promise<string> {
  return await until(async () => {
    const { lookups } = (await list()) as { lookups: readonly { readonly lookup_id: string; readonly outcome: string }[] };
    return lookups.find(({ outcome }) => outcome === 'settled')?.lookup_id;
  });
}

export function reportOf(rupaId: string): object {
  return { rupa_id: rupaId, event: 'loan_disbursed', amount: 5, occurred_at: '2026-01-01T00:00:00Z' };
}

async function makeChanged(api: Application): Promise<Changed> {
  const { partner_id } = await made(api, 'POST', '/partners', { company_name: 'Changed', account_type: 'bank' });
  const changedPartner = String(partner_id);
  const { key_id } = await made(api, 'POST', `/partners/${changedPartner}/api-keys`, {});
  return { changedPartner, deactivatedKey: String(key_id) };
}

async function made(api: Application, method: string, path: string, body?: object): Promise<Made> {
  return dataOf(await whenServed(() => admin(api, method, path, body)));
}

/** Returns the data of a response. @throws Error if the call failed */
function dataOf({ status, body }: ApiResponse): Made {
  if (status >= 400) throw new Error(`A call that makes the world got ${status}: ${JSON.stringify(body)}`);
  return body.data;
}
