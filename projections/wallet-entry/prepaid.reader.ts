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

/** Kinds of the entries that decide how old money is; null for those that move none. Only those charges count that are given back. */
const KINDS: { readonly [Type in WalletEvent['type']]: PrepaidEntry['kind'] | null } = {
  WalletCredited: 'credit',
  CreditReversed: 'reversal',
  WalletPaidOut: 'payout',
  WalletDebited: 'charge',
  RefundIssued: 'given_back',
  LookupCompensated: 'given_back',
  ConsentGranted: null,
  ChargesSettled: null,
};

const DEBIT = 'WalletDebited' satisfies WalletEvent['type'];
const GIVING_BACK = Object.entries(KINDS).flatMap(([type, kind]) => (kind === 'given_back' ? [type] : []));

/**
 * The last entry of each wallet up to a time: that of the wallet or, if it is later, the one that the search of `lastEntryUpTo` finds, in all
 * wallets of a mode at once. The search makes 20 reads of the primary key for a wallet with a million entries.
 */
const LAST = `recursive search(partner_id, low, high) as (
    select ${p.partner_id}, case when ${e.recorded_at} <= $2::timestamptz then ${e.revision} else -1 end,
      case when ${e.recorded_at} <= $2::timestamptz then ${e.revision} + 1 else ${e.revision} end
    from read.partner p cross join lateral (
      select * from read.wallet_entry e where ${e.partner_id} = ${p.partner_id} order by ${e.revision} desc limit 1) e
    where ${p.mode} = $1
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
  /** Revision of the last entry that counts. */
  readonly last_revision: number;
  /** ISO 8601, UTC; null if it made no lookup. */
  readonly last_lookup_at: string | null;
}

const WALLETS = `with ${LAST}
  select ${e.partner_id}, ${c.customer_number}, ${e.balance_after_kobo} as balance_kobo, ${e.revision} as last_revision,
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

const FOUND = [
  ...(['partner_id', 'revision', 'type', 'kind', 'recorded_at', 'amount_kobo', 'balance_after_kobo'] as const),
  ...(['reference', 'credit_reference', 'lookup_id'] as const),
] as const;
type Found = Pick<WalletEntryRow, (typeof FOUND)[number]>;

const foundIn = (entry: typeof e): string => FOUND.map((name) => entry[name]).join(', ');

/**
 * The index of entries that are no charges finds those of each wallet, and the index of lookups finds the charges that some of them gave
 * back. "offset 0" keeps PostgreSQL from joining these with all entries, and the expression of the partner from searching a whole wallet.
 */
const ENTRIES = `with moved as materialized (
    select ${foundIn(e)} from unnest($1::text[], $2::bigint[]) l(partner_id, revision) cross join lateral (
      select * from read.wallet_entry e
      where ${e.partner_id} = l.partner_id and ${e.revision} <= l.revision and ${e.amount_kobo} <> 0 and ${e.type} <> '${DEBIT}' offset 0) e)
  select * from moved union all
  select ${foundIn(g)} from (
    select partner_id, lookup_id, max(revision) as revision from moved where type = any($3::text[]) group by 1, 2) m cross join lateral (
    select * from read.wallet_entry g where ${g.lookup_id} = m.lookup_id and ${g.partner_id} || '' = m.partner_id and ${g.revision} < m.revision
      and ${g.type} = '${DEBIT}' offset 0) g
  order by partner_id, revision`;

export type EntryOfWallet = PrepaidEntry & { readonly partner_id: string; readonly isPayment: boolean };

/** Returns the entries that decide the age of the money in these wallets, up to the last that counts, wallet by wallet in their order. */
export async function prepaidEntries(snapshot: Snapshot, wallets: readonly PrepaidWallet[]): Promise<AsyncIterable<EntryOfWallet>> {
  const [ids, revisions] = [wallets.map(({ partner_id }) => partner_id), wallets.map(({ last_revision }) => last_revision)];
  return entriesOf(await listOf(snapshot, textStatement<Found>(ENTRIES, [ids, revisions, GIVING_BACK])));
}

async function* entriesOf(rows: AsyncIterable<Found>): AsyncIterable<EntryOfWallet> {
  for await (const { partner_id, type, kind: moneyKind, recorded_at, amount_kobo, balance_after_kobo, ...ids } of rows) {
    const kind = KINDS[type];
    if (kind === null) continue;
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
