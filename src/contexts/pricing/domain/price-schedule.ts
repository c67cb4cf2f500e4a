import { sentenceOf, ValidationFailed } from '../../../kernel/validation-failed.js';
import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type PriceScheduleEvent } from './events.js';
import { everyFee, type Fees } from './price-book.js';

/** A price book that takes effect at a time. */
export interface ScheduledPriceBook {
  readonly fees_kobo: Readonly<Record<string, number>>;
  /** ISO 8601, UTC. */
  readonly effective_at: string;
  readonly actor: string;
  /** Identifies the schedule: the revision of its event. */
  readonly schedule_revision: number;
}

export interface PriceSchedule {
  readonly pending: ScheduledPriceBook | null;
}

interface By {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type PriceScheduleCommand =
  | (By & { readonly kind: 'schedule'; readonly fees_kobo: Fees; readonly effective_at: string })
  | (By & { readonly kind: 'cancel' })
  | (By & { readonly kind: 'fulfil'; readonly schedule_revision: number });

/** Days ahead for which a price book can be scheduled. A later date is more likely a wrong year than a plan. */
export const MAX_DAYS_AHEAD = 366;
const DAY_MS = 86_400_000;

/** Decides on the price book that is scheduled. A repeated command changes nothing. */
export const priceScheduleDecider: Decider<PriceSchedule, PriceScheduleCommand, PriceScheduleEvent> = {
  initialState: { pending: null },
  decide: (command, { pending }) => {
    const by = { recorded_at: command.at, actor: command.actor };
    switch (command.kind) {
      case 'schedule':
        return schedule(command, pending);
      case 'cancel':
        return pending ? [{ type: 'PriceScheduleCancelled', data: { ...by, schedule_revision: pending.schedule_revision } }] : [];
      case 'fulfil': {
        const { schedule_revision } = command;
        return pending?.schedule_revision === schedule_revision
          ? [{ type: 'PriceScheduleFulfilled', data: { ...by, schedule_revision } }]
          : [];
      }
    }
  },
  evolve: ({ pending }, event) => {
    if (event.type === 'PriceBookScheduled') {
      const { fees_kobo, effective_at, actor } = event.data;
      return { pending: { fees_kobo, effective_at, actor, schedule_revision: Number(event.revision) } };
    }
    return { pending: pending?.schedule_revision === event.data.schedule_revision ? null : pending };
  },
};

/** @throws ValidationFailed */
function schedule(
  { fees_kobo, effective_at, at, actor }: Extract<PriceScheduleCommand, { kind: 'schedule' }>,
  pending: ScheduledPriceBook | null,
): readonly PriceScheduleEvent[] {
  everyFee({ version: 0, fees_kobo });
  const aheadMs = Date.parse(effective_at) - Date.parse(at);
  if (!(aheadMs > 0 && aheadMs <= MAX_DAYS_AHEAD * DAY_MS)) {
    const problem = `must be a time in the future, at most ${MAX_DAYS_AHEAD} days ahead`;
    throw new ValidationFailed({ effective_at: [sentenceOf('effective_at', problem)] });
  }
  const isSame = pending?.effective_at === effective_at && Object.entries(fees_kobo).every(([key, fee]) => pending.fees_kobo[key] === fee);
  return isSame ? [] : [{ type: 'PriceBookScheduled', data: { fees_kobo, effective_at, recorded_at: at, actor } }];
}

/** The stream id of the only schedule. */
export const PRICE_SCHEDULE_ID = 'main';

/** A stream of its own, because releases before it take every event of the price book's stream for a publication. */
export const PRICE_SCHEDULE_STREAMS: StreamKind<PriceSchedule, PriceScheduleCommand, PriceScheduleEvent> = {
  ...SHORT_STREAM,
  category: 'priceschedule',
  decider: priceScheduleDecider,
};
