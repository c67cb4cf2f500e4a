/** A measured cost, with the row or note of the benchmark that it comes from (docs/performance/). */
export interface Coefficient {
  readonly value: number;
  readonly source: string;
}

const FOOTPRINT = '`footprint`, 10,000 requests of each kind over 100 wallets';
const LOOKUPS = 'note of `lookups-100` in the kept run of 936c6ea';
const REPORTS = 'note of `reports` in the kept run of 936c6ea';

const from =
  (source: string) =>
  (value: number): Coefficient => ({ value, source });
const bytes = from(FOOTPRINT);
const lookupMicros = from(LOOKUPS);
const reportMicros = from(REPORTS);

/** Bytes that one request of a kind leaves behind. `pruned` bytes are deleted after a time. */
export const FOOTPRINTS = {
  first: { eventStore: bytes(1_931), tables: bytes(1_501), wal: bytes(2_770), pruned: bytes(0) },
  repeated: { eventStore: bytes(1_083), tables: bytes(750), wal: bytes(2_687), pruned: bytes(0) },
  keyed: { eventStore: bytes(1_092), tables: bytes(666), wal: bytes(8_111), pruned: bytes(4_644) },
  report: { eventStore: bytes(1_563), tables: bytes(534), wal: bytes(1_752), pruned: bytes(245) },
} as const;

/** Days for which the pruned rows of a request are kept. */
export const PRUNED_AFTER_DAYS = {
  lookup: { value: 1, source: 'stored responses, src/contexts/idempotency/stored-responses.ts' },
  report: { value: 30, source: 'notifications, src/contexts/webhooks/domain/notification.ts' },
} as const;

/** Processor time of one request in each part, in µs. */
export const CPU_MICROS = {
  lookup: {
    // The main thread with its share of V8's and libuv's threads.
    api: lookupMicros(301 + 53),
    // The background thread, which also runs the webhook subscriber.
    projector: lookupMicros(124),
    eventStore: lookupMicros(140),
    postgres: lookupMicros(219),
  },
  report: { api: reportMicros(210 + 33), projector: reportMicros(92), eventStore: reportMicros(91), postgres: reportMicros(94) },
} as const;

/** Processor time of a webhook delivery in µs, at most: two busy cores delivered and received 6,217 per second. */
export const DELIVERY_MICROS: Coefficient = { value: 322, source: 'row `webhooks` in the kept run of 936c6ea, 2 cores / 6,217 per second' };
