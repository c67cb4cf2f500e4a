import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { inTransaction } from '../../../platform/database/pool.js';
import { asRecorded, type Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { inSpan } from '../../../platform/tracing/spans.js';
import { type RecordedEvent, type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type BatchingWindow, subscribeInBatches } from '../../../platform/projecting/applying/batches.js';
import { type RowMacs } from '../../../platform/projecting/row-macs.js';
import { announceWanted } from '../../../platform/projecting/wanted-positions.js';
import { type Checkpoint, ensureReaction, haveReached, moveCheckpoints, takeFences } from '../../../platform/projecting/checkpoints.js';
import { consentRosterProjection } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { erasedFarmerProjection } from '../../../../projections/erased-farmer/erased-farmer.projection.js';
import { lowBalanceThresholdProjection } from '../../../../projections/low-balance-threshold/low-balance-threshold.projection.js';
import { allThresholds } from '../../../../projections/low-balance-threshold/low-balance-threshold.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { webhookEndpointProjection } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { type PartnerEvent } from '../../partners/domain/events.js';
import { type WalletEvent } from '../../wallet/domain/events.js';
import { lowBalanceData, nextPartSize, notificationOf, NOTIFYING_TYPES, type PartnerNotification } from '../domain/notification.js';
import { erasureNotice, isErasure } from '../domain/erasure-notice.js';
import { balanceFall, LowBalanceThresholds } from '../domain/balance-fall.js';
import { LOW_BALANCE_TYPE } from '../domain/notification-types.js';
import { type SandboxEventTriggered } from '../domain/events.js';
import { triggeredNotification } from '../domain/sandbox-event.js';
import { deleteResetNotifications, type SandboxReset } from './reset-notifications.js';
import { WEBHOOK_SUBSCRIBER, writeNotifications } from './notification-writer.js';
import { noteProcessed, processedUpTo } from './notified-event.js';

const VERSION = 1;
const MAX_BATCH = 500;
/** Notifying events in the first transaction, before the subscriber knows how many recipients an event has. */
const FIRST_PART = 32;
const CATCH_UP_POLL_MS = 20;
const TRIGGERED: SandboxEventTriggered['type'] = 'SandboxEventTriggered';
const RESET: PartnerEvent['type'] = 'SandboxReset';
/** The read models that determine the recipients. */
const RECIPIENTS = [consentRosterProjection.name, webhookEndpointProjection.name];
/** For an erasure also those that name the partners that held a consent, and hide what there was before. */
const RECIPIENTS_OF_ERASURES = [...RECIPIENTS, walletEntryProjection.name, erasedFarmerProjection.name];
/**
 * Milliseconds to wait for more events before a batch is written, so that many notifications share a statement. Events that notify nobody
 * only move the checkpoint, so they can wait longer.
 */
const batchingWindow: BatchingWindow = (event) => (isNotifying(event) || event.type === TRIGGERED || event.type === RESET ? 100 : 1_000);

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
    private readonly macs: RowMacs,
  ) {}

  /**
   * Runs until `signal` is aborted. A batch is written in parts of one transaction each, so that an event with many recipients does not
   * delay the deliveries of all others until a large transaction commits.
   * @throws FencedOff if another subscriber has taken over
   */
  async run(signal: AbortSignal): Promise<void> {
    const found = await inTransaction(this.pool, (client) => ensureReaction(client, WEBHOOK_SUBSCRIBER, VERSION));
    let checkpoint = await processedUpTo(this.pool, this.eventStore, this.macs, found);
    const after = checkpoint.position === null ? undefined : BigInt(checkpoint.position);
    this.thresholds = undefined;
    let size = FIRST_PART;
    for await (const batch of subscribeInBatches(this.eventStore, after, MAX_BATCH, signal, { window: batchingWindow })) {
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
    // The projector records the events that cannot be used.
    const { upcast: usable } = this.codec.sort(batch);
    const ofFarmers = usable.filter(({ type }) => NOTIFYING_TYPES.has(type)).flatMap((event) => notificationOf(asRecorded(event)) ?? []);
    const ofErasures = usable.filter(isErasure).map((event) => erasureNotice(asRecorded(event)));
    this.thresholds ??= await this.readThresholds(checkpoint, signal);
    const resets = usable.filter(({ type }) => type === RESET).map((event) => asRecorded<PartnerEvent>(event) as SandboxReset);
    const ofPartners = [...fallsIn(usable, this.thresholds), ...triggeredIn(usable)];
    const unchanged = { checkpoint, notifications: 0, deliveries: 0 };
    if (!last) return unchanged;
    const notifications = ofFarmers.length + ofErasures.length;
    const recipients = [
      ...(ofErasures.length > 0 ? RECIPIENTS_OF_ERASURES : RECIPIENTS),
      // A report about a test farmer notifies nobody after a reset of its account.
      ...(ofFarmers.some(({ only_for }) => only_for !== null) ? [partnerProjection.name] : []),
    ];
    if (notifications + ofPartners.length + resets.length > 0) await this.waitForReadModels(recipients, last.position, signal);
    if (signal.aborted) return unchanged;
    const spanOptions = () => ({
      parent: null,
      attributes: { 'rupa.batch.events': batch.length, 'rupa.batch.notifications': notifications },
      links: usable.map(({ metadata }) => metadata.traceparent),
    });
    const deliveries = await inSpan('fan out', spanOptions, () =>
      inTransaction(this.pool, async (client) => {
        await takeFences(client, [checkpoint]);
        const written = await writeNotifications(client, this.macs, { ofFarmers, ofPartners, ofErasures });
        await deleteResetNotifications(client, resets);
        await moveCheckpoints(client, [WEBHOOK_SUBSCRIBER], last.position, last);
        await noteProcessed(client, this.macs, WEBHOOK_SUBSCRIBER, last);
        return written;
      }),
    );
    return { checkpoint: { ...checkpoint, position: last.position.toString() }, notifications, deliveries };
  }

  /** Reads the thresholds that were set up to the checkpoint; those set later are in the batches that follow. */
  private async readThresholds({ position }: Checkpoint, signal: AbortSignal): Promise<LowBalanceThresholds> {
    const thresholds = new LowBalanceThresholds();
    if (position === null) return thresholds;
    await this.waitForReadModels([lowBalanceThresholdProjection.name], BigInt(position), signal);
    if (signal.aborted) return thresholds;
    for (const row of await allThresholds(this.pool)) thresholds.add({ ...row, position: BigInt(row.position) });
    return thresholds;
  }

  private async waitForReadModels(names: readonly string[], position: bigint, signal: AbortSignal): Promise<void> {
    for (let first = true; !signal.aborted; first = false) {
      const client = await this.pool.connect();
      try {
        if (await haveReached(client, names, position)) return;
        if (first) await announceWanted(client, position);
      } finally {
        client.release();
      }
      await delay(CATCH_UP_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Returns the balances that fell through their thresholds. Changes of thresholds in the batch are added first: each has its position. */
function fallsIn(batch: readonly RecordedEvent[], thresholds: LowBalanceThresholds): readonly PartnerNotification[] {
  for (const event of batch.map((each) => asRecorded<PartnerEvent>(each)))
    if (event.type === 'LowBalanceThresholdChanged') thresholds.add({ ...event.data, position: event.position });
  return batch.flatMap((each) => {
    const event = asRecorded<WalletEvent>(each);
    const fall = balanceFall(event, thresholds);
    if (!fall) return [];
    const { partner_id, balance_kobo, threshold_kobo } = fall;
    return [
      {
        event_id: event.id,
        partner_id,
        type: LOW_BALANCE_TYPE,
        rupa_id: null,
        event: null,
        occurred_at: null,
        recorded_at: event.data.recorded_at,
        sequence: event.position.toString(),
        data: lowBalanceData(balance_kobo, threshold_kobo),
      },
    ];
  });
}

/** Returns the notifications that partners asked for in the sandbox. */
function triggeredIn(batch: readonly RecordedEvent[]): readonly PartnerNotification[] {
  return batch.filter(({ type }) => type === TRIGGERED).map((event) => triggeredNotification(asRecorded<SandboxEventTriggered>(event)));
}

/** Returns how many events there are before the notifying event that exceeds `size`. */
function endOfPart(events: readonly StoredEvent[], size: number): number {
  let notifying = 0;
  const end = events.findIndex((event) => isNotifying(event) && ++notifying > size);
  return end < 0 ? events.length : end;
}

function isNotifying(event: Pick<StoredEvent, 'type'>): boolean {
  return NOTIFYING_TYPES.has(event.type) || isErasure(event);
}
