import { startApplication } from './application.js';
import { admin, makePartner, type TestPartner } from './client.js';
import { type Application, type TestService } from './service.js';
import { givenPast } from './wallet-past.js';
import { chargeOf } from './unit/charge-of.js';
import { ALL_SEARCHED } from './unit/searched-entries.js';

export interface Account {
  readonly account: string;
  readonly kind: string | null;
  readonly opening: number;
  readonly debit: number;
  readonly credit: number;
  readonly closing: number;
  readonly balance: number;
}

export interface Ledger {
  readonly service: TestService;
  /** A partner with NGN 100,000 that pays for one lookup. */
  readonly bank: TestPartner;
  /** A partner with past events: a credit and a charge in January; a charge, a settlement and a refund in February. */
  readonly agtech: TestPartner;
  /** A sandbox partner with NGN 700. */
  readonly sandbox: TestPartner;
}

/** A charge of the past, but for its partner, time, lookup and fees. */
export const charge = {
  rupa_id: 'rp-1',
  source: 's',
  price_book_version: 1,
  key_id: 'k',
  grants_consent: false,
  actor: 'test',
};

/** Starts an application for one spec, because a trial balance covers all partners. */
export async function startLedger(): Promise<Ledger> {
  const service = await startApplication();
  const [bank, agtech] = [await makePartner(service), await makePartner(service, { account_type: 'agtech', credit: 0 })];
  const sandbox = await makePartner(service, { mode: 'sandbox', credit: 700 });
  await admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'A' } });
  const { partner_id } = agtech;
  const [first, second] = ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'];
  await givenPast(service, [
    { kind: 'credit', partner_id, at: first, actor: 'test', amount_kobo: 1_000_00, reference: 'past', ...ALL_SEARCHED },
    chargeOf({ ...charge, partner_id, at: first, lookup_id: 'l1', breakdown_kobo: { 'svc_fee.farms': 80_00 } }),
    chargeOf({
      ...charge,
      partner_id,
      at: second,
      lookup_id: 'l2',
      breakdown_kobo: { 'svc_fee.identity': 50_25, 'passthrough.bvn': 60_00 },
    }),
    { kind: 'settle', partner_id, at: second, actor: 'test', lookup_ids: ['l1'] },
    { kind: 'refund', partner_id, at: second, actor: 'test', lookup_ids: ['l2'], reason: 'failed' },
  ]);
  await bank.lookup('rp-1', { sections: ['identity', 'bvn_nin_data'] });
  return { service, bank, agtech, sandbox };
}

export interface TrialBalance {
  readonly mode: string;
  readonly at: string;
  readonly as_of_index: number | null;
  readonly balanced: boolean;
  readonly accounts: Account[];
}

export const balancesOf = async (service: Application, query = ''): Promise<TrialBalance> =>
  (await admin(service, 'GET', `/ledger/trial-balance${query}`)).body.data as unknown as TrialBalance;

/** A report without the index of the last event that it contains, which any event moves on between two reads: the settlement of a lookup, for example. */
export function withoutIndex<T extends { readonly as_of_index: number | null }>({ as_of_index, ...report }: T): Omit<T, 'as_of_index'> {
  if (as_of_index === null) throw new Error('the report does not say which events it contains');
  return report;
}
