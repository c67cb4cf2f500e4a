import { setTimeout as delay } from 'node:timers/promises';
import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '../../platform/database/pool.js';
import { indexableText, storableJson } from '../../platform/database/postgres-text.js';
import { asRecorded, type Codec } from '../../platform/event-sourcing/codec.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { inSpan } from '../../platform/tracing/spans.js';
import { type StoredEvent } from '../../platform/event-sourcing/recorded-event.js';
import { type BatchingWindow, subscribeInBatches } from '../../platform/projecting/batches.js';
import { type Checkpoint, ensureReaction, haveReached, moveCheckpoints, takeFences } from '../../platform/projecting/checkpoints.js';
import { type LowBalanceThresholdRow } from '../../../projections/low-balance-threshold/low-balance-threshold.projection.js';
import { toNaira } from '../../kernel/money.js';
import { type PartnerEvent } from '../partners/domain/events.js';
import { type WalletEvent } from '../wallet/domain/events.js';
import { DELIVERIES_CHANNEL } from './deliveries-channel.js';
import { nextPartSize } from './domain/fan-out.js';
import { type BalanceFall, balanceFall, LowBalanceThresholds } from './domain/balance-fall.js';
import { LOW_BALANCE_TYPE } from './domain/notification-types.js';
import { notificationOf, type Notification, NOTIFYING_TYPES } from './domain/notification.js';

/** Name of the subscriber's checkpoint in `ops.checkpoint`. */
export const WEBHOOK_SUBSCRIBER = 'webhook_deliveries';

const VERSION = 1;
const MAX_BATCH = 500;
/** Notifying events in the first transaction, before the subscriber knows how many recipients an event has. */
const FIRST_PART = 32;
const CATCH_UP_POLL_MS = 20;
/** The read models that determine the recipients. */
const READ_MODELS = ['consent_roster', 'webhook_endpoint'];
/** The read model of the thresholds, which decide whether a balance is low. */
const THRESHOLDS = 'low_balance_threshold';
/**
 * Milliseconds to wait for more events before a batch is written, so that many notifications share a statement. Events that notify nobody
 * only move the checkpoint, so they can wait longer.
 */
const batchingWindow: BatchingWindow = ({ type }) => (NOTIFYING_TYPES.has(type) ? 100 : 1_000);

/**
 * Inserts a delivery per event and endpoint of each partner that had a consent when the event was recorded. The transaction also moves the
 * checkpoint, so each delivery is inserted once. `offset 0` fixes the join order: the consents of the farmer first, then the endpoints of
 * those partners; otherwise the planner may join every endpoint with every event. `sequence_offset` keeps the sequence rising after the log
 * was moved to a store with lower positions (docs/adr/0011).
 */
const WRITE = `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, rupa_id, event, contribution_id, occurred_at, recorded_at, sequence)
  select n.event_id, e.endpoint_id, e.partner_id, n.type, n.rupa_id, n.event, n.contribution_id, n.occurred_at, n.recorded_at,
    n.sequence + (select sequence_offset from ops.checkpoint where projection = '${WEBHOOK_SUBSCRIBER}')
  from json_to_recordset($1) as n(event_id uuid, type text, rupa_id text, event text, contribution_id bigint, occurred_at timestamptz, recorded_at timestamptz, sequence numeric)
  join read.consent_roster c on c.rupa_id = n.rupa_id and c.granted_position <= n.sequence
  cross join lateral (
    select e.endpoint_id, e.partner_id from read.webhook_endpoint e
    where e.partner_id = c.partner_id and e.status = 'enabled' and e.enabled_position <= n.sequence and (e.events ? '*' or e.events ? n.type) offset 0) e
  order by n.sequence, e.endpoint_id
  on conflict (event_id, endpoint_id) do nothing`;

/** Inserts a delivery per fall of a balance and endpoint of the partner that names the event. */
const WRITE_FALLS = `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, recorded_at, sequence, data)
  select n.event_id, e.endpoint_id, e.partner_id, '${LOW_BALANCE_TYPE}', n.recorded_at,
    n.sequence + (select sequence_offset from ops.checkpoint where projection = '${WEBHOOK_SUBSCRIBER}'), n.data
  from json_to_recordset($1) as n(event_id uuid, partner_id text, recorded_at timestamptz, sequence numeric, data json)
  join read.webhook_endpoint e on e.partner_id = n.partner_id and e.status = 'enabled' and e.enabled_position <= n.sequence
    and e.events ? '${LOW_BALANCE_TYPE}'
  order by n.sequence, e.endpoint_id
  on conflict (event_id, endpoint_id) do nothing`;

/** The fall of a balance with the event that caused it. */
type RecordedFall = BalanceFall & Pick<Notification, 'event_id' | 'recorded_at' | 'sequence'>;

interface Applied {
  readonly checkpoint: Checkpoint;
  readonly notifications: number;
  readonly deliveries: number;
}

/** Turns events about farmers into deliveries, after the read models that determine the recipients have caught up with the events. */
export class NotificationSubscriber {
  private thresholds: LowBalanceThresholds | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
  ) {}

  /**
   * Runs until `signal` is aborted. A batch is written in parts of one transaction each, so that an event with many recipients does not
   * delay the deliveries of all others until a large transaction commits.
   * @throws FencedOff if another subscriber has taken over
   */
  async run(signal: AbortSignal): Promise<void> {
    let checkpoint = await inTransaction(this.pool, (client) => ensureReaction(client, WEBHOOK_SUBSCRIBER, VERSION));
    const after = checkpoint.position === null ? undefined : BigInt(checkpoint.position);
    this.thresholds = undefined;
    let size = FIRST_PART;
    for await (const batch of subscribeInBatches(this.eventStore, after, MAX_BATCH, signal, batchingWindow)) {
      for (let rest = batch; rest.length > 0 && !signal.aborted;) {
        const end = endOfPart(rest, size);
        const applied = await this.apply(rest.slice(0, end), checkpoint, signal);
        rest = rest.slice(end);
        checkpoint = applied.checkpoint;
        size = nextPartSize(size, applied, MAX_BATCH);
      }
    }
  }

  private async apply(batch: readonly StoredEvent[], checkpoint: Checkpoint, signal: AbortSignal): Promise<Applied> {
    const last = batch.at(-1);
    const notifications = batch
      .filter(({ type }) => NOTIFYING_TYPES.has(type))
      .flatMap((event) => notificationOf(asRecorded(this.codec.upcast(event))) ?? []);
    this.thresholds ??= await this.readThresholds(checkpoint, signal);
    const falls = fallsIn(batch, this.thresholds);
    const unchanged = { checkpoint, notifications: 0, deliveries: 0 };
    if (!last) return unchanged;
    if (notifications.length + falls.length > 0) await this.waitForReadModels(READ_MODELS, last.position, signal);
    if (signal.aborted) return unchanged;
    const spanOptions = () => ({
      parent: null,
      attributes: { 'rupa.batch.events': batch.length, 'rupa.batch.notifications': notifications.length },
      links: batch.map(({ metadata }) => metadata.traceparent),
    });
    const deliveries = await inSpan('fan out', spanOptions, () =>
      inTransaction(this.pool, async (client) => {
        await takeFences(client, [checkpoint]);
        const written = await write(client, notifications, falls);
        await moveCheckpoints(client, [WEBHOOK_SUBSCRIBER], last.position, last);
        return written;
      }),
    );
    return { checkpoint: { ...checkpoint, position: last.position.toString() }, notifications: notifications.length, deliveries };
  }

  /** Reads the thresholds that were set up to the checkpoint; those set later are in the batches that follow. */
  private async readThresholds({ position }: Checkpoint, signal: AbortSignal): Promise<LowBalanceThresholds> {
    const thresholds = new LowBalanceThresholds();
    if (position === null) return thresholds;
    await this.waitForReadModels([THRESHOLDS], BigInt(position), signal);
    if (signal.aborted) return thresholds;
    const { rows } = await this.pool.query<LowBalanceThresholdRow>(`select partner_id, position, threshold_kobo from read.${THRESHOLDS}`);
    for (const row of rows) thresholds.add({ ...row, position: BigInt(row.position) });
    return thresholds;
  }

  private async waitForReadModels(names: readonly string[], position: bigint, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const client = await this.pool.connect();
      try {
        if (await haveReached(client, names, position)) return;
      } finally {
        client.release();
      }
      await delay(CATCH_UP_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Returns the balances that fell through their thresholds. Changes of thresholds in the batch are added first: each has its position. */
function fallsIn(batch: readonly StoredEvent[], thresholds: LowBalanceThresholds): readonly RecordedFall[] {
  for (const event of batch.map((each) => asRecorded<PartnerEvent>(each)))
    if (event.type === 'LowBalanceThresholdChanged') thresholds.add({ ...event.data, position: event.position });
  return batch.flatMap((each) => {
    const event = asRecorded<WalletEvent>(each);
    const fall = balanceFall(event, thresholds);
    return fall ? [{ ...fall, event_id: event.id, recorded_at: event.data.recorded_at, sequence: event.position.toString() }] : [];
  });
}

/** Returns how many events there are before the notifying event that exceeds `size`. */
function endOfPart(events: readonly StoredEvent[], size: number): number {
  let notifying = 0;
  const end = events.findIndex(({ type }) => NOTIFYING_TYPES.has(type) && ++notifying > size);
  return end < 0 ? events.length : end;
}

/** Returns how many deliveries it inserted. */
async function write(client: PoolClient, notifications: readonly Notification[], falls: readonly RecordedFall[]): Promise<number> {
  const inserted = (await writeNotifications(client, notifications)) + (await writeFalls(client, falls));
  if (inserted > 0) await client.query('select pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
  return inserted;
}

async function writeFalls(client: PoolClient, falls: readonly RecordedFall[]): Promise<number> {
  if (falls.length === 0) return 0;
  const rows = falls.map(({ balance_kobo, threshold_kobo, ...fall }) => ({
    ...fall,
    data: { balance: toNaira(balance_kobo), threshold: toNaira(threshold_kobo), currency: 'NGN' },
  }));
  return (await client.query(WRITE_FALLS, [storableJson(rows)])).rowCount ?? 0;
}

async function writeNotifications(client: PoolClient, notifications: readonly Notification[]): Promise<number> {
  if (notifications.length === 0) return 0;
  // The roster holds the Rupa ID in this form, too.
  const storable = notifications.map((each) => ({ ...each, rupa_id: indexableText(each.rupa_id) }));
  return (await client.query(WRITE, [storableJson(storable)])).rowCount ?? 0;
}
