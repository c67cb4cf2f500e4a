import { type Approved } from '../../approvals/domain/events.js';

export type PricingEvent = {
  readonly type: 'PriceBookPublished';
  readonly data: Approved & {
    readonly version: number;
    /** Integer kobo by fee key, for every fee of the book. */
    readonly fees_kobo: Readonly<Record<string, number>>;
    /** Rate of the VAT that the fees contain, in percent; 0 if absent. */
    readonly vat_percent?: number;
    readonly recorded_at: string;
    readonly actor: string;
    /** Revision of the schedule that it fulfils; absent if it was published at once. */
    readonly schedule_revision?: number;
  };
};

interface Recorded {
  readonly recorded_at: string;
  readonly actor: string;
}

/** Events of the stream `priceschedule-main`. At most one price book is scheduled: a later one replaces an earlier one. */
export type PriceScheduleEvent =
  | {
      readonly type: 'PriceBookScheduled';
      readonly data: Recorded &
        Approved & {
          readonly fees_kobo: Readonly<Record<string, number>>;
          /** Rate of the VAT that the fees contain, in percent; 0 if absent. */
          readonly vat_percent?: number;
          /** ISO 8601, UTC. */
          readonly effective_at: string;
          /** Set if the fees are in force from that time on, published or not. Absent in schedules of releases before ADR 51. */
          readonly in_force_by_time?: true;
        };
    }
  | { readonly type: 'PriceScheduleCancelled'; readonly data: Recorded & { readonly schedule_revision: number } }
  | { readonly type: 'PriceScheduleFulfilled'; readonly data: Recorded & { readonly schedule_revision: number } };
