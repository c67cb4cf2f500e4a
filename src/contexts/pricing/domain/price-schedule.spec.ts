import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type PriceScheduleEvent } from './events.js';
import { DEFAULT_PRICE_BOOK, type Fees, priceBookDecider } from './price-book.js';
import { dueAt, pendingAt, type PriceSchedule, priceScheduleDecider } from './price-schedule.js';

const at = '2026-03-01T10:00:00.000Z';
const effective_at = '2026-04-01T00:00:00.000Z';
const fees_kobo = { ...DEFAULT_PRICE_BOOK.fees_kobo, 'svc_fee.identity': 75_00 };
const by = { recorded_at: at, actor: 'admin' };
const schedule = { kind: 'schedule' as const, fees_kobo, vat_percent: 0, effective_at, at, actor: 'admin' };
const scheduled: PriceScheduleEvent = { type: 'PriceBookScheduled', data: { fees_kobo, effective_at, in_force_by_time: true, ...by } };
/** A schedule of a release before ADR 51. */
const unmarked: PriceScheduleEvent = { type: 'PriceBookScheduled', data: { fees_kobo, effective_at, ...by } };
const BEFORE = '2026-03-31T23:59:59.999Z';
const LATER = '2026-05-01T00:00:00.000Z';
const stateAfter = (...events: readonly PriceScheduleEvent[]): PriceSchedule =>
  events.reduce(
    (state, event, index) => priceScheduleDecider.evolve(state, { ...event, revision: BigInt(index) }),
    priceScheduleDecider.initialState,
  );
const fulfilled: PriceScheduleEvent = { type: 'PriceScheduleFulfilled', data: { schedule_revision: 0, ...by } };

describe('scheduling a price book', () => {
  it('records the fees and their time once', () => {
    given(priceScheduleDecider, []).when(schedule).then([scheduled]);
    given(priceScheduleDecider, [scheduled]).when(schedule).thenNothing();
  });

  it('replaces the fees that are scheduled', () => {
    const later = { ...schedule, effective_at: '2026-05-01T00:00:00.000Z' };
    given(priceScheduleDecider, [scheduled])
      .when(later)
      .then([{ type: 'PriceBookScheduled', data: { ...scheduled.data, effective_at: later.effective_at } }]);
  });

  it.each(['2026-03-01T10:00:00.000Z', '2026-02-28T00:00:00.000Z', '2027-03-03T00:00:00.000Z'])('refuses the time %s', (time) => {
    const decide = (): unknown => priceScheduleDecider.decide({ ...schedule, effective_at: time }, priceScheduleDecider.initialState);
    expect(decide).toThrow(expect.objectContaining({ errors: { effective_at: [expect.stringContaining('at most 366 days ahead')] } }));
  });

  it('records the rate of VAT, and another rate alone replaces what is scheduled', () => {
    const taxed: PriceScheduleEvent = { type: 'PriceBookScheduled', data: { ...scheduled.data, vat_percent: 7.5 } };
    given(priceScheduleDecider, [scheduled])
      .when({ ...schedule, vat_percent: 7.5 })
      .then([taxed]);
    given(priceScheduleDecider, [taxed])
      .when({ ...schedule, vat_percent: 7.5 })
      .thenNothing();
    given(priceScheduleDecider, [taxed]).when(schedule).then([scheduled]);
    expect(dueAt(stateAfter(taxed), effective_at)).toMatchObject([{ vat_percent: 7.5 }]);
  });

  it('refuses fees that a publication refuses', () => {
    const { 'svc_fee.farms': _removed, ...rest } = fees_kobo;
    expect(() => priceScheduleDecider.decide({ ...schedule, fees_kobo: rest as Fees }, priceScheduleDecider.initialState)).toThrow(
      'svc_fee.farms',
    );
  });
});

describe('a scheduled price book', () => {
  it('is cancelled once', () => {
    const cancelled: PriceScheduleEvent = { type: 'PriceScheduleCancelled', data: { schedule_revision: 0, ...by } };
    const cancel = { kind: 'cancel' as const, at, actor: 'admin' };
    given(priceScheduleDecider, [scheduled]).when(cancel).then([cancelled]);
    given(priceScheduleDecider, [scheduled, cancelled]).when(cancel).thenNothing();
    given(priceScheduleDecider, []).when(cancel).thenNothing();
  });

  it('is fulfilled once, and not if it was replaced', () => {
    const fulfil = { kind: 'fulfil' as const, schedule_revision: 0, at, actor: 'admin' };
    given(priceScheduleDecider, [scheduled]).when(fulfil).then([fulfilled]);
    given(priceScheduleDecider, [scheduled, fulfilled]).when(fulfil).thenNothing();
    given(priceScheduleDecider, [scheduled, scheduled]).when(fulfil).thenNothing();
  });

  it('can be neither cancelled nor replaced from its time on, before which it can', () => {
    const cancelled: PriceScheduleEvent = { type: 'PriceScheduleCancelled', data: { schedule_revision: 0, ...by, recorded_at: BEFORE } };
    const cancel = { kind: 'cancel' as const, actor: 'admin' };
    given(priceScheduleDecider, [scheduled])
      .when({ ...cancel, at: BEFORE })
      .then([cancelled]);
    given(priceScheduleDecider, [scheduled])
      .when({ ...cancel, at: effective_at })
      .thenNothing();
    const next: PriceScheduleEvent = {
      type: 'PriceBookScheduled',
      data: { ...scheduled.data, recorded_at: effective_at, effective_at: LATER },
    };
    given(priceScheduleDecider, [scheduled])
      .when({ ...schedule, at: effective_at, effective_at: LATER })
      .then([next]);
    const state = stateAfter(scheduled, next);
    expect(dueAt(state, effective_at)).toMatchObject([{ schedule_revision: 0 }]);
    expect(dueAt(state, LATER)).toMatchObject([{ schedule_revision: 0 }, { schedule_revision: 1 }]);
    expect(pendingAt(state, effective_at)).toMatchObject({ schedule_revision: 1 });
    expect(pendingAt(state, LATER)).toBeNull();
  });

  it('can be cancelled and replaced until it is published, if an earlier release has scheduled it', () => {
    given(priceScheduleDecider, [unmarked])
      .when({ kind: 'cancel', at: LATER, actor: 'admin' })
      .then([{ type: 'PriceScheduleCancelled', data: { schedule_revision: 0, actor: 'admin', recorded_at: LATER } }]);
    expect(pendingAt(stateAfter(unmarked), LATER)).toMatchObject({ schedule_revision: 0 });
    expect(dueAt(stateAfter(unmarked), LATER)).toHaveLength(1);
    expect(dueAt(stateAfter(unmarked, { ...scheduled, data: { ...scheduled.data, recorded_at: LATER } }), LATER)).toMatchObject([
      { schedule_revision: 1 },
    ]);
  });

  it('is scheduled again if an earlier release has scheduled it, so that its time alone puts it in force', () => {
    given(priceScheduleDecider, [unmarked]).when(schedule).then([scheduled]);
  });

  it('is published by the first API only, also if other fees were published since', () => {
    const due = (schedule_revision: number) => ({
      due: [{ fees_kobo, vat_percent: 0, schedule_revision, actor: 'admin' }],
      at,
      actor: 'service',
    });
    const published = { type: 'PriceBookPublished' as const, data: { version: 2, fees_kobo, schedule_revision: 4, ...by } };
    const other = { type: 'PriceBookPublished' as const, data: { version: 3, fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, ...by } };
    given(priceBookDecider, []).when(due(4)).then([published]);
    given(priceBookDecider, [published]).when(due(4)).thenNothing();
    given(priceBookDecider, [published, other]).when(due(4)).thenNothing();
    given(priceBookDecider, [published, other])
      .when(due(5))
      .then([{ ...published, data: { ...published.data, version: 4, schedule_revision: 5 } }]);
  });

  it('is published with equal fees, too, because it has a version from its time on', () => {
    const due = [{ ...DEFAULT_PRICE_BOOK, schedule_revision: 1, actor: 'admin' }];
    expect(priceBookDecider.decide({ due, at, actor: 'service' }, DEFAULT_PRICE_BOOK)).toHaveLength(1);
  });

  it('is published with its rate of VAT, which fees that leave the rate out then keep', () => {
    const due = [{ fees_kobo, vat_percent: 7.5, schedule_revision: 0, actor: 'admin' }];
    const own = { ...fees_kobo, 'svc_fee.identity': 80_00 };
    const taxed = { fees_kobo, vat_percent: 7.5, schedule_revision: 0, ...by };
    given(priceBookDecider, [])
      .when({ due, fees_kobo: own, at, actor: 'admin' })
      .then([
        { type: 'PriceBookPublished', data: { version: 2, ...taxed } },
        { type: 'PriceBookPublished', data: { version: 3, fees_kobo: own, vat_percent: 7.5, ...by } },
      ]);
  });

  it('is published before the fees that somebody publishes after its time', () => {
    const due = [{ fees_kobo, vat_percent: 0, schedule_revision: 0, actor: 'admin' }];
    const own = { ...fees_kobo, 'svc_fee.identity': 80_00 };
    const scheduledBook = { type: 'PriceBookPublished' as const, data: { version: 2, fees_kobo, schedule_revision: 0, ...by } };
    given(priceBookDecider, [])
      .when({ due, fees_kobo: own, at, actor: 'admin' })
      .then([scheduledBook, { type: 'PriceBookPublished', data: { version: 3, fees_kobo: own, ...by } }]);
    given(priceBookDecider, []).when({ due, fees_kobo, at, actor: 'admin' }).then([scheduledBook]);
  });
});
