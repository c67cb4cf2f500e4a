import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { given } from '../../../../test/support/unit/given.js';
import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { type ClosePeriod, type MonthRead } from './closing.js';
import { type LedgerEntryPosted, type LedgerEvent, type PeriodClosed } from './events.js';
import { type LedgerCommand, ledgerDecider, type LedgerState, type PostEntry } from './ledger.js';
import { monthAt } from './month.js';

const actor = 'admin:amina';
const issuer = { name: 'Rupa', address: null, tax_id: null };
const accounts = [{ account: 'cash_received', opening_kobo: '0', debit_kobo: '5', credit_kobo: '0', closing_kobo: '5' }];
const NOTHING: MonthRead = { wallets_first_day: null, open_charges: 0, accounts, entries: 1, posted: 0, index: 7 };

const close = (period: string, at: string, read: Partial<MonthRead> = {}): ClosePeriod => ({
  kind: 'close',
  mode: 'live',
  month: monthAt(period),
  read: { ...NOTHING, ...read },
  issuer,
  prefix: 'RUPA',
  at,
  actor,
});
const closed = (period: string, recorded_at: string): PeriodClosed => ({
  type: 'PeriodClosed',
  data: { mode: 'live', period, accounts, entries: 1, index: 7, issuer, prefix: 'RUPA', recorded_at, actor },
});
const posted = (date: string, reference = 'e1'): LedgerEntryPosted => ({
  type: 'LedgerEntryPosted',
  data: { mode: 'live', kind: 'bank_charge', amount_kobo: 5, reference, date, reason: 'fees', recorded_at: `${date}T10:00:00.000Z`, actor },
});
const post = (date: string | null, at: string, reference = 'e2'): PostEntry => ({
  mode: 'live',
  kind: 'bank_charge',
  amount_kobo: 5,
  account: null,
  of: null,
  reference,
  date,
  reason: 'fees',
  wallets_kobo: 0n,
  at,
  actor,
});

const APRIL = '2026-04-01T00:05:00.000Z';
const MAY = '2026-05-01T00:05:00.000Z';

describe('a month', () => {
  it('is closed from five minutes after its end on', () => {
    const march = given(ledgerDecider, [posted('2026-03-09')]);
    march.when(close('2026-03', APRIL, { posted: 1 })).then([closed('2026-03', APRIL)]);
    march.when(close('2026-03', '2026-04-01T00:04:59.999Z', { posted: 1 })).thenRejected('period_not_ended', { closable_from: APRIL });
    march.when(close('2026-03', '2026-03-31T23:00:00.000Z')).thenRejected('period_not_ended', { closable_from: APRIL });
  });

  it('is closed first if it has the first entry, of a wallet or of the ledger', () => {
    const first = (read: Partial<MonthRead>, next_period: string): void => {
      given(ledgerDecider, [posted('2026-03-09')])
        .when(close('2026-04', MAY, read))
        .thenRejected('period_out_of_order', { next_period });
    };
    first({}, '2026-03');
    first({ wallets_first_day: '2026-02-28' }, '2026-02');
    first({ wallets_first_day: '2026-04-02' }, '2026-03');
    given(ledgerDecider, [])
      .when(close('2026-03', MAY, { wallets_first_day: '2026-03-31' }))
      .then([closed('2026-03', MAY)]);
    given(ledgerDecider, [posted('1850-01-01')])
      .when(close('2026-03', MAY))
      .thenRejected('period_out_of_order', { next_period: '1900-01' });
  });

  it('is unknown before the first entry, and before it begins', () => {
    given(ledgerDecider, []).when(close('2026-03', MAY)).thenRejected('period_unknown');
    const march = given(ledgerDecider, [posted('2026-03-09')]);
    march.when(close('2026-02', MAY, { posted: 1 })).thenRejected('period_unknown');
    march.when(close('2026-06', MAY, { posted: 1 })).thenRejected('period_unknown');
  });

  it('is closed once, and after the one before it, also if it is empty', () => {
    const march = given(ledgerDecider, [posted('2026-03-09'), closed('2026-03', APRIL)]);
    march.when(close('2026-03', MAY, { posted: 9, open_charges: 3 })).thenNothing();
    march.when(close('2026-04', MAY, { posted: 1 })).then([closed('2026-04', MAY)]);
    march.when(close('2026-05', '2026-06-02T00:00:00.000Z')).thenRejected('period_out_of_order', { next_period: '2026-04' });
    march.when(close('2026-02', MAY)).thenRejected('period_unknown');
  });

  it('is not closed while a charge is open', () => {
    given(ledgerDecider, [posted('2026-03-09')])
      .when(close('2026-03', APRIL, { posted: 1, open_charges: 2 }))
      .thenRejected('period_has_open_charges', { open_charges: 2 });
  });

  it('is not closed with totals that lack an entry', () => {
    given(ledgerDecider, [posted('2026-03-09'), posted('2026-03-10', 'e3')])
      .when(close('2026-03', APRIL, { posted: 1 }))
      .thenRejected('period_moved');
  });
});

describe('an entry', () => {
  const march = given(ledgerDecider, [posted('2026-03-09'), closed('2026-03', APRIL)]);

  it('is dated into an open month', () => {
    const refused = { period: '2026-03', open_from: '2026-04-01' };
    march.when(post('2026-03-31', APRIL)).thenRejected('entry_in_closed_period', refused);
    march.when(post('2025-12-31', APRIL)).thenRejected('entry_in_closed_period', { ...refused, period: '2025-12' });
    expect(ledgerDecider.decide(post('2026-04-01', APRIL), march.state)).toHaveLength(1);
    expect(ledgerDecider.decide(post(null, APRIL), march.state)).toHaveLength(1);
  });

  it('of a closed month is the same when it is posted again, and is undone in an open month', () => {
    march.when(post('2026-03-09', APRIL, 'e1')).thenNothing();
    const undo = { ...post(null, MAY, 'r1'), kind: 'reversal', amount_kobo: null, of: 'e1' } as const;
    expect(ledgerDecider.decide(undo, march.state)).toMatchObject([{ data: { date: '2026-05-01', of: 'e1' } }]);
    march.when({ ...undo, date: '2026-03-09' }).thenRejected('entry_in_closed_period');
  });
});

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-20T12:00:00.000Z');
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** Steps of a ledger: hours that pass, and then an entry of some days before, or the close of a month with totals of some entries before. */
const steps = fc.array(
  fc.record({
    hours: fc.integer({ min: 0, max: 24 * 25 }),
    does: fc.oneof(
      fc.record({ daysAgo: fc.integer({ min: 0, max: 70 }) }),
      fc.record({
        month: fc.integer({ min: -3, max: 1 }),
        missing: fc.constantFrom(0, 0, 0, 1),
        open_charges: fc.constantFrom(0, 0, 0, 1),
      }),
    ),
  }),
  { maxLength: 30 },
);

describe('any entries and closes', () => {
  it('close the months in their order from the first entry on, and date no entry into a closed one', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        let [state, nowMs]: [LedgerState, number] = [ledgerDecider.initialState, START_MS];
        const events: LedgerEvent[] = [];
        for (const [index, { hours, does }] of drawn.entries()) {
          nowMs += hours * 3_600_000;
          const at = new Date(nowMs).toISOString();
          const command =
            'daysAgo' in does
              ? post(day(nowMs - does.daysAgo * DAY_MS), at, `e${index}`)
              : close(monthsFrom(at, does.month), at, { posted: state.posted - does.missing, open_charges: does.open_charges });
          const decided = eventsOf(command, state);
          if ('missing' in does && does.missing + does.open_charges > 0) expect(decided).toStrictEqual([]);
          for (const event of decided) state = ledgerDecider.evolve(state, { ...event, revision: BigInt(events.push(event) - 1) });
        }
        expectInOrder(events);
      }),
    );
  });
});

function monthsFrom(at: string, months: number): string {
  const [year = 0, month = 0] = at.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months)).toISOString().slice(0, 7);
}

function eventsOf(command: LedgerCommand, state: LedgerState): readonly LedgerEvent[] {
  try {
    return ledgerDecider.decide(command, state);
  } catch (error) {
    if (error instanceof Rejection) return [];
    throw error;
  }
}

function expectInOrder(events: readonly LedgerEvent[]): void {
  let last = '';
  let first = '9999-12';
  for (const { type, data } of events) {
    if (type === 'LedgerEntryPosted') {
      expect(data.date.slice(0, 7) > last).toBe(true);
      if (data.date.slice(0, 7) < first) first = data.date.slice(0, 7);
      continue;
    }
    expect(data.period).toBe(last === '' ? first : monthsFrom(`${last}-01`, 1));
    expect(Date.parse(data.recorded_at)).toBeGreaterThanOrEqual(Date.parse(monthAt(data.period).until) + 5 * 60_000);
    last = data.period;
  }
}
