import { type PrepaidEntry } from '../../src/contexts/accounting/domain/prepaid.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, listOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { type CustomerRow } from '../customer/customer.projection.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type WalletEntryRow } from './wallet-entry.projection.js';

const [e, g] = [columnsOf<WalletEntryRow>('e'), columnsOf<WalletEntryRow>('g')];
const [p, c] = [columnsOf<PartnerRow>('p'), columnsOf<CustomerRow>('c')];

/** Kinds of the entries that decide how old money is. Only those charges count that an entry of the last kind gives back. */
const KINDS = {
  WalletCredited: 'credit',
  CreditReversed: 'reversal',
  WalletPaidOut: 'payout',
  RefundIssued: 'given_back',
  LookupCompensated: 'given_back',
} as const satisfies Partial<Record<WalletEvent['type'], PrepaidEntry['kind']>>;

const DEBIT = 'WalletDebited' satisfies WalletEvent['type'];
const ALL_KINDS: Readonly<Partial<Record<WalletEvent['type'], PrepaidEntry['kind']>>> = { ...KINDS, [DEBIT]: 'charge' };
const TYPES = Object.keys(KINDS);
const GIVING_BACK = ['RefundIssued', 'LookupCompensated'] as const satisfies readonly (keyof typeof KINDS)[];

/**
 * The last entry of each wallet up to a time, with the search of `lastEntryUpTo` in all wallets of a mode at once: 20 reads of the primary
 * key for a wallet with a million entries.
 */
const LAST = `recursive search(partner_id, low, high) as (
    select ${p.partner_id}, -1::bigint, coalesce(
      (select ${e.revision} + 1 from read.wallet_entry e where ${e.partner_id} = ${p.partner_id} order by ${e.revision} desc limit 1), 0)::bigint
    from read.partner p where ${p.mode} = $1
    union all
    select s.partner_id, case when ${e.recorded_at} <= $2::timestamptz then ${e.revision} else s.low end,
      case when ${e.recorded_at} <= $2::timestamptz then s.high else ${e.revision} end
    from search s cross join lateral (
      select * from read.wallet_entry e where ${e.partner_id} = s.partner_id and ${e.revision} = (s.low + s.high) / 2 limit 1) e
    where s.high - s.low > 1
  ),
  last as materialized (select partner_id, max(low) as revision from search group by partner_id having max(low) >= 0)`;

/** A partner with a balance. */
export interface PrepaidWallet {
  readonly partner_id: string;
  readonly customer_number: number | null;
  readonly balance_kobo: number;
  /** ISO 8601, UTC; null if it made no lookup. */
  readonly last_lookup_at: string | null;
}

const WALLETS = `with ${LAST}
  select ${e.partner_id}, ${c.customer_number}, ${e.balance_after_kobo} as balance_kobo,
    (select ${g.recorded_at} from read.wallet_entry g
      where ${g.partner_id} = ${e.partner_id} and ${g.revision} <= l.revision and ${g.type} = '${DEBIT}'
      order by ${g.revision} desc limit 1) as last_lookup_at
  from last l join read.wallet_entry e on ${e.partner_id} = l.partner_id and ${e.revision} = l.revision
    left join read.customer c on ${c.partner_id} = l.partner_id
  where ${e.balance_after_kobo} <> 0
  order by ${c.customer_number}, ${e.partner_id}`;

/** Returns the wallets of a mode that have a balance at a moment (ISO 8601), by customer number. */
export async function prepaidWallets(snapshot: Snapshot, mode: Mode, at: string): Promise<PrepaidWallet[]> {
  return await rowsOf(snapshot, textStatement<PrepaidWallet>(WALLETS, [mode, at]));
}

type Found = Pick<
  WalletEntryRow,
  'partner_id' | 'type' | 'kind' | 'recorded_at' | 'amount_kobo' | 'balance_after_kobo' | 'reference' | 'credit_reference' | 'lookup_id'
>;

const ENTRIES = `with ${LAST}
  select ${e.partner_id}, ${e.type}, ${e.kind}, ${e.recorded_at}, ${e.amount_kobo}, ${e.balance_after_kobo},
    ${e.reference}, ${e.credit_reference}, ${e.lookup_id}
  from read.wallet_entry e join last l on l.partner_id = ${e.partner_id} and ${e.revision} <= l.revision
  where ${e.type} = any($3::text[]) or ${e.type} = '${DEBIT}' and ${e.lookup_id} in (
    select ${g.lookup_id} from read.wallet_entry g where ${g.type} = any($4::text[]) and ${g.lookup_id} is not null)
  order by ${e.partner_id}, ${e.revision}`;

export type EntryOfWallet = PrepaidEntry & { readonly partner_id: string; readonly isPayment: boolean };

/** Returns the entries up to a moment that decide the age of the money in the wallets of a mode, wallet by wallet in their order. */
export async function prepaidEntries(snapshot: Snapshot, mode: Mode, at: string): Promise<AsyncIterable<EntryOfWallet>> {
  return entriesOf(await listOf(snapshot, textStatement<Found>(ENTRIES, [mode, at, TYPES, GIVING_BACK])));
}

async function* entriesOf(rows: AsyncIterable<Found>): AsyncIterable<EntryOfWallet> {
  for await (const { partner_id, type, kind: moneyKind, recorded_at, amount_kobo, balance_after_kobo, ...ids } of rows) {
    const kind = ALL_KINDS[type];
    if (!kind) continue;
    const entry = {
      partner_id,
      isPayment: kind === 'credit' && moneyKind === 'payment',
      recorded_at,
      change_kobo: amount_kobo,
      balance_after_kobo,
    };
    const [reference, credit_reference, lookup_id] = [ids.reference ?? '', ids.credit_reference ?? '', ids.lookup_id ?? ''];
    if (kind === 'credit') yield { ...entry, kind, reference };
    else if (kind === 'reversal') yield { ...entry, kind, credit_reference };
    else if (kind === 'payout') yield { ...entry, kind };
    else yield { ...entry, kind, lookup_id };
  }
}
