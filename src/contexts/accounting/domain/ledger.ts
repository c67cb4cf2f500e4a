import { type Approval } from '../../approvals/domain/events.js';
import { type Mode } from '../../../kernel/accounts.js';
import { sentenceOf, ValidationFailed } from '../../../kernel/validation-failed.js';
import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type Account, kindOf } from './chart-of-accounts.js';
import { type ClosePeriod, openFrom, periodClosed, type Periods, withClosed } from './closing.js';
import { boundedAccount, entryPostings } from './entry-postings.js';
import { type EntryKind, type LedgerEntryPosted, type LedgerEvent } from './events.js';

/** Callers match on these codes, so they must not change. */
export type LedgerRejectionCode = 'entry_reference_reused' | 'owed_less_than_amount' | 'entry_not_reversible' | 'entry_in_closed_period';
export class LedgerRejection extends Rejection<LedgerRejectionCode> {}

type PostedEntry = LedgerEntryPosted['data'];

/** An entry as it is asked for. */
export interface EntryRequest {
  readonly kind: EntryKind;
  /** Integer kobo; null for what the entry has that a reversal undoes. */
  readonly amount_kobo: number | null;
  readonly account: string | null;
  readonly of: string | null;
  readonly reference: string;
  /** Day in UTC; null for the day on which it is recorded. */
  readonly date: string | null;
  readonly reason: string;
}

export interface PostEntry extends EntryRequest {
  readonly mode: Mode;
  /** The balance of the entry's bounded account over all wallets, whatever its date: integer kobo, debits less credits. */
  readonly wallets_kobo: bigint;
  /** Set if a second person approved it. */
  readonly approval?: Approval | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type LedgerCommand = PostEntry | ClosePeriod;

interface KnownEntry {
  readonly entry: PostedEntry;
  readonly isUndone: boolean;
}

/**
 * Entries by reference, in maps of which each is larger than the next, and of which the last one that has a reference counts. A state is
 * never changed, and a copy of all entries for each new one would take half a minute for ten thousand.
 */
type KnownEntries = readonly ReadonlyMap<string, KnownEntry>[];

export interface LedgerState extends Periods {
  /** Every entry of the mode. */
  readonly entries: KnownEntries;
  /** The balance of each account over the entries: integer kobo, debits less credits. */
  readonly balances: ReadonlyMap<Account, bigint>;
}

/** Returns the entry with a reference; undefined if there is none. */
export function postedEntry(state: LedgerState, reference: string): PostedEntry | undefined {
  return known(state.entries, reference)?.entry;
}

/**
 * Decides about entries for what happens outside of wallets (finance, "Money in and out"), and about the closes of months. A reference is used once: the same entry again
 * appends nothing. No settlement, remittance or certificate is of more than its account holds; the entries of one stream are appended one
 * after another, so two at the same time do not exceed that together.
 */
export const ledgerDecider: Decider<LedgerState, LedgerCommand, LedgerEvent> = {
  initialState: { entries: [], balances: new Map(), closed: new Map(), posted: 0, first_day: null },
  decide: (command, state) => {
    const event = command.kind === 'close' ? periodClosed(command, state) : newEntry(command, state);
    return event ? [event] : [];
  },
  evolve: (state, event) => {
    if (event.type === 'PeriodClosed') return { ...state, closed: withClosed(state.closed, event.data) };
    const { entries, balances, closed, posted, first_day } = state;
    const { data } = event;
    const after = new Map(balances);
    for (const { account, debit_kobo, credit_kobo } of entryPostings(data))
      after.set(account, (after.get(account) ?? 0n) + BigInt(debit_kobo) - BigInt(credit_kobo));
    const undone = data.of === undefined ? undefined : known(entries, data.of);
    const marked = undone ? withEntry(entries, { ...undone, isUndone: true }) : entries;
    return {
      entries: withEntry(marked, { entry: data, isUndone: false }),
      balances: after,
      closed,
      posted: posted + 1,
      first_day: first_day === null || data.date < first_day ? data.date : first_day,
    };
  },
};

/** The decider of each mode has a stream of its own, whose id is the mode. Each process folds its entries once. */
export const LEDGER_STREAMS: StreamKind<LedgerState, LedgerCommand, LedgerEvent> = {
  ...SHORT_STREAM,
  category: 'ledger',
  cachedStates: 2,
  decider: ledgerDecider,
};

/** Returns the entry that a request posts; undefined if it was posted before. @throws LedgerRejection, ValidationFailed */
export function newEntry(command: PostEntry, state: LedgerState): LedgerEntryPosted | undefined {
  const { reference, at } = command;
  const before = postedEntry(state, reference);
  if (before) {
    if (isSame(before, command)) return undefined;
    throw new LedgerRejection('entry_reference_reused', { reference });
  }
  const date = command.date ?? dayOf(at);
  assertPostable(date, at, state);
  const entry = command.kind === 'reversal' ? reversalOf(command, state) : entryOf(command, state);
  const { mode, reason, actor, approval } = command;
  return { type: 'LedgerEntryPosted', data: { mode, ...entry, reference, date, reason, recorded_at: at, actor, ...approval } };
}

type Content = Pick<PostedEntry, 'kind' | 'amount_kobo' | 'account' | 'of' | 'of_kind'>;

function entryOf({ kind, amount_kobo, account, wallets_kobo }: PostEntry, { balances }: LedgerState): Content {
  const amount = amount_kobo ?? 0;
  const bounded = boundedAccount(kind, account);
  if (bounded !== null) {
    const balance = wallets_kobo + (balances.get(bounded) ?? 0n);
    const available = kindOf(bounded) === 'liability' ? -balance : balance;
    if (BigInt(amount) > available) throw new LedgerRejection('owed_less_than_amount', { available_kobo: available > 0n ? available : 0n });
  }
  return { kind, amount_kobo: amount, ...(account !== null && { account }) };
}

/** A reversal undoes a whole entry, once. A reversal is not undone: the entry is posted again, within its bound. */
function reversalOf({ of, amount_kobo }: PostEntry, { entries }: LedgerState): Content {
  const { entry: found, isUndone = false } = (of === null ? undefined : known(entries, of)) ?? {};
  if (!found || isUndone || found.kind === 'reversal') throw new LedgerRejection('entry_not_reversible', { reversible_kobo: 0 });
  if (amount_kobo !== null && amount_kobo !== found.amount_kobo)
    throw new LedgerRejection('entry_not_reversible', { reversible_kobo: found.amount_kobo });
  const { kind: of_kind, account } = found;
  return { kind: 'reversal', amount_kobo: found.amount_kobo, ...(account !== undefined && { account }), of: found.reference, of_kind };
}

function known(entries: KnownEntries, reference: string): KnownEntry | undefined {
  return entries.findLast((each) => each.has(reference))?.get(reference);
}

function withEntry(entries: KnownEntries, added: KnownEntry): KnownEntries {
  let newest = new Map([[added.entry.reference, added]]);
  const older = [...entries];
  for (let last = older.at(-1); last && last.size <= newest.size; last = older.at(-1)) {
    newest = new Map([...last, ...newest]);
    older.pop();
  }
  return [...older, newest];
}

/** Returns whether the request is the one that recorded the entry. A request leaves out what was its default then. */
function isSame(entry: PostedEntry, request: EntryRequest): boolean {
  return (
    entry.kind === request.kind &&
    entry.reason === request.reason &&
    entry.date === (request.date ?? dayOf(entry.recorded_at)) &&
    (entry.of ?? null) === request.of &&
    entry.amount_kobo === (request.amount_kobo ?? entry.amount_kobo) &&
    (entry.kind === 'reversal' || (entry.account ?? null) === request.account)
  );
}

/** Checks the day of an entry. @throws ValidationFailed for a day after today, LedgerRejection for one in a closed month */
function assertPostable(date: string, at: string, state: LedgerState): void {
  if (date > dayOf(at)) throw new ValidationFailed({ date: [sentenceOf('date', 'must not be after today (UTC)')] });
  const open_from = openFrom(state);
  if (open_from !== null && date < open_from)
    throw new LedgerRejection('entry_in_closed_period', { period: date.slice(0, 'yyyy-mm'.length), open_from });
}

function dayOf(at: string): string {
  return at.slice(0, 'yyyy-mm-dd'.length);
}
