import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type PriceScheduleEvent } from './events.js';
import { DEFAULT_PRICE_BOOK, type Fees, priceBookDecider } from './price-book.js';
import { priceScheduleDecider } from './price-schedule.js';

const at = '2026-03-01T10:00:00.000Z';
const effective_at = '2026-04-01T00:00:00.000Z';
const fees_kobo = { ...DEFAULT_PRICE_BOOK.fees_kobo, 'svc_fee.identity': 75_00 };
const by = { recorded_at: at, actor: 'admin' };
const schedule = { kind: 'schedule' as const, fees_kobo, effective_at, at, actor: 'admin' };
const scheduled: PriceScheduleEvent = { type: 'PriceBookScheduled', data: { fees_kobo, effective_at, ...by } };
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
    const decide = (): unknown => priceScheduleDecider.decide({ ...schedule, effective_at: time }, { pending: null });
    expect(decide).toThrow(expect.objectContaining({ errors: { effective_at: [expect.stringContaining('at most 366 days ahead')] } }));
  });

  it('refuses fees that a publication refuses', () => {
    const { 'svc_fee.farms': _removed, ...rest } = fees_kobo;
    expect(() => priceScheduleDecider.decide({ ...schedule, fees_kobo: rest as Fees }, { pending: null })).toThrow('svc_fee.farms');
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

  it('is published by the first API only, also if other fees were published since', () => {
    const publish = { fees_kobo, schedule_revision: 4, at, actor: 'admin' };
    const published = { type: 'PriceBookPublished' as const, data: { version: 2, fees_kobo, schedule_revision: 4, ...by } };
    const other = { type: 'PriceBookPublished' as const, data: { version: 3, fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, ...by } };
    given(priceBookDecider, []).when(publish).then([published]);
    given(priceBookDecider, [published]).when(publish).thenNothing();
    given(priceBookDecider, [published, other]).when(publish).thenNothing();
    given(priceBookDecider, [published, other])
      .when({ ...publish, schedule_revision: 5 })
      .then([{ ...published, data: { ...published.data, version: 4, schedule_revision: 5 } }]);
  });

  it('is published with equal fees, too, so that every API learns of it', () => {
    const publish = { fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, schedule_revision: 1, at, actor: 'admin' };
    expect(priceBookDecider.decide(publish, DEFAULT_PRICE_BOOK)).toHaveLength(1);
  });
});
