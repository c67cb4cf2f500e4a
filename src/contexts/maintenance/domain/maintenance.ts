import { sentenceOf, ValidationFailed } from '../../../kernel/validation-failed.js';
import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type MaintenanceEvent } from './events.js';

/** A maintenance that was begun and that nobody has ended. It may have ended by itself. */
export interface Maintenance {
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** ISO 8601, UTC; null if it lasts until somebody ends it. */
  readonly until: string | null;
  /** Who said this reason and this end. */
  readonly actor: string;
}

interface By {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type MaintenanceCommand =
  (By & { readonly kind: 'begin'; readonly reason: string; readonly until: string | null }) | (By & { readonly kind: 'end' });

/** Days ahead for which maintenance can be announced. A later date is more likely a wrong month than a plan. */
export const MAX_DAYS = 14;
const DAY_MS = 86_400_000;

/** Returns whether writes are refused at a time, in milliseconds since 1970: maintenance ends by itself when its time has come. */
export function isInForce(maintenance: Maintenance | null, nowMs: number): maintenance is Maintenance {
  return maintenance !== null && (maintenance.until === null || Date.parse(maintenance.until) > nowMs);
}

/** Decides when writes are refused. A repeated command changes nothing; another reason or end replaces the one before. */
export const maintenanceDecider: Decider<Maintenance | null, MaintenanceCommand, MaintenanceEvent> = {
  initialState: null,
  decide: (command, state) => {
    const by = { recorded_at: command.at, actor: command.actor };
    const current = isInForce(state, Date.parse(command.at)) ? state : null;
    if (command.kind === 'end') return current ? [{ type: 'MaintenanceEnded', data: by }] : [];
    const { reason, until } = command;
    assertSoon(until, command.at);
    if (current?.reason === reason && current.until === until) return [];
    return [{ type: 'MaintenanceBegun', data: { reason, ...(until === null ? {} : { until }), ...by } }];
  },
  evolve: (state, { type, data }) => {
    if (type === 'MaintenanceEnded') return null;
    const { reason, until = null, recorded_at, actor } = data;
    const since = isInForce(state, Date.parse(recorded_at)) ? state.since : recorded_at;
    return { reason, since, until, actor };
  },
};

/** @throws ValidationFailed for an end that has passed or is too far away */
function assertSoon(until: string | null, at: string): void {
  if (until === null) return;
  const aheadMs = Date.parse(until) - Date.parse(at);
  if (aheadMs > 0 && aheadMs <= MAX_DAYS * DAY_MS) return;
  throw new ValidationFailed({ until: [sentenceOf('until', `must be a time in the future, at most ${MAX_DAYS} days ahead`)] });
}

/** The stream id of the only maintenance. */
export const MAINTENANCE_ID = 'main';

/** An event in this stream that cannot be used stops no call: otherwise any writer to the log could stop every lookup for good. */
export const MAINTENANCE_STREAMS: StreamKind<Maintenance | null, MaintenanceCommand, MaintenanceEvent> = {
  ...SHORT_STREAM,
  category: 'maintenance',
  independent: true,
  decider: maintenanceDecider,
};
