import { sentenceOf, ValidationFailed } from '../../../kernel/validation-failed.js';
import { recordedVat, vatPercentOf } from '../../../kernel/vat.js';
import { type AtRevision, type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type Approval } from '../../approvals/domain/events.js';
import { type PriceScheduleEvent } from './events.js';
import { everyFee, type Fees } from './price-book.js';

/** A price book that takes effect at a time. */
export interface ScheduledPriceBook {
  readonly fees_kobo: Readonly<Record<string, number>>;
  /** Rate of the VAT that the fees contain, in percent. */
  readonly vat_percent: number;
  /** ISO 8601, UTC. */
  readonly effective_at: string;
  readonly actor: string;
  /** Identifies the schedule: the revision of its event. */
  readonly schedule_revision: number;
  /** When it was scheduled. ISO 8601, UTC. */
  readonly scheduled_at: string;
  /** False for a schedule of a release before ADR 51, whose fees are in force only once they are published. */
  readonly in_force_by_time: boolean;
}

/** The schedules that no event has ended, oldest first. At most the last of them lies in the future. */
export interface PriceSchedule {
  readonly waiting: readonly ScheduledPriceBook[];
  /** The approvals that were executed, each of which schedules once. Left out without any. */
  readonly approval_ids?: readonly string[];
}

interface By {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type PriceScheduleCommand =
  | (By & {
      readonly kind: 'schedule';
      readonly fees_kobo: Fees;
      readonly vat_percent: number;
      readonly effective_at: string;
      readonly approval?: Approval | undefined;
    })
  | (By & { readonly kind: 'cancel' })
  | (By & { readonly kind: 'fulfil'; readonly schedule_revision: number });

/** Days ahead for which a price book can be scheduled. A later date is more likely a wrong year than a plan. */
export const MAX_DAYS_AHEAD = 366;
const DAY_MS = 86_400_000;

/** Returns the schedules whose time has come, and which no event says to be published. */
export function dueAt({ waiting }: PriceSchedule, at: string): readonly ScheduledPriceBook[] {
  return waiting.filter(({ effective_at }) => effective_at <= at);
}

/** Returns the schedule that can still be replaced or cancelled: the one that is not in force yet. */
export function pendingAt({ waiting }: PriceSchedule, at: string): ScheduledPriceBook | null {
  const last = waiting.at(-1);
  return last && !isInForce(last, at) ? last : null;
}

function isInForce({ in_force_by_time, effective_at }: ScheduledPriceBook, at: string): boolean {
  return in_force_by_time && effective_at <= at;
}

/** Decides on the price book that is scheduled. A repeated command changes nothing, and neither does a cancellation that comes too late. */
export const priceScheduleDecider: Decider<PriceSchedule, PriceScheduleCommand, PriceScheduleEvent> = {
  initialState: { waiting: [] },
  decide: (command, state) => {
    const by = { recorded_at: command.at, actor: command.actor };
    switch (command.kind) {
      case 'schedule':
        if (command.approval && state.approval_ids?.includes(command.approval.approval_id)) return [];
        return schedule(command, pendingAt(state, command.at));
      case 'cancel': {
        const pending = pendingAt(state, command.at);
        return pending ? [{ type: 'PriceScheduleCancelled', data: { ...by, schedule_revision: pending.schedule_revision } }] : [];
      }
      case 'fulfil': {
        const { schedule_revision } = command;
        return state.waiting.some((each) => each.schedule_revision === schedule_revision)
          ? [{ type: 'PriceScheduleFulfilled', data: { ...by, schedule_revision } }]
          : [];
      }
    }
  },
  evolve: ({ waiting, approval_ids }, event) => {
    const { recorded_at } = event.data;
    const ids = [...(approval_ids ?? []), ...(event.type === 'PriceBookScheduled' ? [event.data.approval_id ?? []].flat() : [])];
    const executed = ids.length > 0 && { approval_ids: ids };
    if (event.type === 'PriceBookScheduled')
      return { ...executed, waiting: [...waiting.filter((each) => isInForce(each, recorded_at)), scheduledBy(event)] };
    const { schedule_revision } = event.data;
    const isCancelled = event.type === 'PriceScheduleCancelled';
    return {
      ...executed,
      waiting: waiting.filter((each) => each.schedule_revision !== schedule_revision || (isCancelled && isInForce(each, recorded_at))),
    };
  },
};

/** Returns what an event schedules. */
export function scheduledBy({ data, revision }: AtRevision<PriceScheduleEvent & { type: 'PriceBookScheduled' }>): ScheduledPriceBook {
  const { fees_kobo, effective_at, actor, recorded_at, in_force_by_time = false } = data;
  const schedule_revision = Number(revision);
  const vat_percent = vatPercentOf(data);
  return { fees_kobo, vat_percent, effective_at, actor, schedule_revision, scheduled_at: recorded_at, in_force_by_time };
}

/** @throws ValidationFailed */
function schedule(
  { fees_kobo, vat_percent, effective_at, at, actor, approval }: Extract<PriceScheduleCommand, { kind: 'schedule' }>,
  pending: ScheduledPriceBook | null,
): readonly PriceScheduleEvent[] {
  everyFee({ version: 0, fees_kobo });
  const aheadMs = Date.parse(effective_at) - Date.parse(at);
  if (!(aheadMs > 0 && aheadMs <= MAX_DAYS_AHEAD * DAY_MS)) {
    const problem = `must be a time in the future, at most ${MAX_DAYS_AHEAD} days ahead`;
    throw new ValidationFailed({ effective_at: [sentenceOf('effective_at', problem)] });
  }
  const isSame =
    pending?.in_force_by_time === true &&
    pending.effective_at === effective_at &&
    pending.vat_percent === vat_percent &&
    Object.entries(fees_kobo).every(([key, fee]) => pending.fees_kobo[key] === fee);
  const data = {
    fees_kobo,
    ...recordedVat(vat_percent),
    effective_at,
    in_force_by_time: true,
    recorded_at: at,
    actor,
    ...approval,
  } as const;
  return isSame ? [] : [{ type: 'PriceBookScheduled', data }];
}

/** The stream id of the only schedule. */
export const PRICE_SCHEDULE_ID = 'main';

/** A stream of its own, because releases before it take every event of the price book's stream for a publication. */
export const PRICE_SCHEDULE_STREAMS: StreamKind<PriceSchedule, PriceScheduleCommand, PriceScheduleEvent> = {
  ...SHORT_STREAM,
  category: 'priceschedule',
  decider: priceScheduleDecider,
};
