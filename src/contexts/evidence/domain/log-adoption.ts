import { type Dated, type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type LogAdopted } from './events.js';

/** The last part of the origin of a log that is not the service's first one. */
const NUMBER = /\/log\/(?<number>[1-9]\d{0,8})$/;

/** Returns the number of a log among those of its service: 1 for the first, whose origin has none. */
export function logNumber(origin: string): number {
  return Number(NUMBER.exec(origin)?.groups?.number ?? 1);
}

/** Returns the origin of the log after another one. */
export function nextOrigin(origin: string): string {
  const first = NUMBER.test(origin) ? origin.slice(0, origin.lastIndexOf('/')) : origin;
  return `${first}/${logNumber(origin) + 1}`;
}

/** An event of another kind in the stream of the log's own events. */
interface OtherEvent {
  readonly type: 'LogMoved';
  readonly data: object;
}

type Adopted = LogAdopted['data'];
export type AdoptLog = Dated & Omit<Adopted, 'recorded_at'>;

/** Begins a new log. A second decision about the same one changes nothing. */
export const adoptLogDecider: Decider<Adopted | null, AdoptLog, LogAdopted | OtherEvent> = {
  initialState: null,
  decide: ({ at, ...data }, last) => (data.origin === last?.origin ? [] : [{ type: 'LogAdopted', data: { ...data, recorded_at: at } }]),
  evolve: (last, event) => (event.type === 'LogAdopted' ? event.data : last),
};

const LOG_CATEGORY = 'log';
export const LOG_ID = 'main';
export const LOG_STREAM = `${LOG_CATEGORY}-${LOG_ID}`;

export const LOG_STREAMS: StreamKind<Adopted | null, AdoptLog, LogAdopted | OtherEvent> = {
  ...SHORT_STREAM,
  category: LOG_CATEGORY,
  decider: adoptLogDecider,
};
