import { entryPostings } from '../../src/contexts/accounting/domain/entry-postings.js';
import { type LedgerEvent, type PeriodClosed } from '../../src/contexts/accounting/domain/events.js';
import { postings } from '../../src/contexts/accounting/domain/postings.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';

/** An entry or the close of a month that a response confirmed: its reference or month with its time, and whether the call recorded it. */
export interface Booked {
  readonly key: string;
  readonly created: boolean;
}

type Event = WalletEvent | LedgerEvent;
type Close = PeriodClosed['data'] & { readonly at: number };

/** The months of 2026 in which a history has entries. */
export const MONTHS = ['2026-10', '2026-11', '2026-12'];

/**
 * Returns a sentence for each fault in the closed months of a log, in which nothing counts but its events.
 * @param log the events of all streams, oldest first
 * @param clocksHeld whether no two clocks were wrong alike, so that no wallet's event can be dated minutes too early
 */
export function monthsKept(log: readonly Event[], booked: readonly Booked[], clocksHeld: boolean): string[] {
  const closes = log.flatMap((event, at): Close[] => (event.type === 'PeriodClosed' ? [{ ...event.data, at }] : []));
  return [
    ...inOrder(log, closes),
    ...bookedOnce(log, booked),
    ...closes.flatMap((close) => [...totalsRight(log, close), ...nothingOpen(log, close), ...nothingLate(log, close, clocksHeld)]),
  ];
}

function inOrder(log: readonly Event[], closes: readonly Close[]): string[] {
  const dated = log.slice(0, closes[0]?.at).filter((event) => linesOf(event).length > 0);
  const first = MONTHS.indexOf(dated.map(monthOf).sort()[0] ?? '');
  const [closed, due] = [closes.map(({ period }) => period), MONTHS.slice(first, first + closes.length)];
  return closed.join() === due.join() ? [] : [`The months ${closed.join(', ')} were closed instead of ${due.join(', ')}.`];
}

function bookedOnce(log: readonly Event[], booked: readonly Booked[]): string[] {
  const named = log.flatMap(({ type, data }) => {
    if (type === 'PeriodClosed') return [[data.period, data.recorded_at] as const];
    return type === 'LedgerEntryPosted' ? [[data.reference, data.recorded_at] as const] : [];
  });
  const twice = [...Map.groupBy(named, ([name]) => name)].filter(([, each]) => each.length > 1);
  const keys = new Set(named.map((each) => each.join(' ')));
  const created = Map.groupBy(
    booked.filter((each) => each.created),
    ({ key }) => key,
  );
  return [
    ...twice.map(([name]) => `${name} is in the books more than once.`),
    ...booked.filter(({ key }) => !keys.has(key)).map(({ key }) => `${key} was confirmed and is not in the log.`),
    ...[...created].filter(([, each]) => each.length > 1).map(([key]) => `${key} was confirmed as created more than once.`),
  ];
}

/** Compares what a month was closed with with the events up to its index and the ledger's entries before the close. */
function totalsRight(log: readonly Event[], { period, index, entries, accounts, at }: Close): string[] {
  if (index === null || index >= at) return [`${period} was closed by event ${at} with the index ${String(index)}.`];
  const read = log.filter((event, place) => place <= index || (event.type === 'LedgerEntryPosted' && place < at));
  const journal = read.filter((event) => linesOf(event).length > 0 && monthOf(event) === period);
  const found = new Map<string, { opening: number; debit: number; credit: number }>();
  for (const event of read.filter((each) => monthOf(each) <= period)) {
    for (const { account, debit_kobo, credit_kobo } of linesOf(event)) {
      const total = found.get(account) ?? { opening: 0, debit: 0, credit: 0 };
      found.set(account, total);
      if (monthOf(event) < period) total.opening += debit_kobo - credit_kobo;
      else [total.debit, total.credit] = [total.debit + debit_kobo, total.credit + credit_kobo];
    }
  }
  const right = [...found]
    .filter(([, { opening, debit, credit }]) => opening !== 0 || debit !== 0 || credit !== 0)
    .map(([account, { opening, debit, credit }]) => `${account} ${opening} ${debit} ${credit} ${opening + debit - credit}`);
  const given = accounts.map((each) => Object.values(each).join(' '));
  const same = given.toSorted().join('; ') === right.toSorted().join('; ') && entries === journal.length;
  if (same) return [];
  return [`${period} was closed with ${entries} entries and ${given.join('; ')} instead of ${journal.length} and ${right.join('; ')}.`];
}

function nothingOpen(log: readonly Event[], { period, at }: Close): string[] {
  const open = new Set<string>();
  for (const event of log.slice(0, at)) {
    if (event.type === 'WalletDebited' && monthOf(event) <= period) open.add(event.data.lookup_id);
    if (event.type === 'RefundIssued') open.delete(event.data.lookup_id);
    if (event.type === 'ChargesSettled') for (const { lookup_id } of event.data.charges) open.delete(lookup_id);
  }
  return open.size === 0 ? [] : [`${period} was closed while ${open.size} of its charges were open.`];
}

function nothingLate(log: readonly Event[], { period, at }: Close, clocksHeld: boolean): string[] {
  const late = log.slice(at).filter((event) => event.type !== 'PeriodClosed' && monthOf(event) <= period);
  return late
    .filter(({ type }) => clocksHeld || type === 'LedgerEntryPosted')
    .map(({ type, data }) => `${type} of ${data.recorded_at} is dated into ${period}, which was closed before.`);
}

function monthOf({ type, data }: Event): string {
  return (type === 'LedgerEntryPosted' ? data.date : data.recorded_at).slice(0, 'yyyy-mm'.length);
}

function linesOf(event: Event) {
  if (event.type === 'PeriodClosed') return [];
  return event.type === 'LedgerEntryPosted' ? entryPostings(event.data) : postings(event);
}
