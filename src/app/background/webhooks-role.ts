import { once } from 'node:events';
import { consentRosterProjection } from '../../../projections/consent-roster/consent-roster.projection.js';
import { erasedFarmerProjection } from '../../../projections/erased-farmer/erased-farmer.projection.js';
import { DeliverySlots } from '../../contexts/webhooks/delivering/delivery-slots.js';
import { NotificationSubscriber } from '../../contexts/webhooks/notifying/notification-subscriber.js';
import { runSender, type SenderStores } from '../../contexts/webhooks/delivering/sender-loop.js';
import { LOCKS } from '../../platform/database/instances/locks.js';
import { WEBHOOK_SUBSCRIBER } from '../../contexts/webhooks/notifying/notification-writer.js';
import { NewestRows } from '../../platform/projecting/newest-rows.js';
import { Staleness } from '../../platform/projecting/in-memory/staleness.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { runAsLeader, progressOf } from '../../platform/leader.js';
import { SystemClock } from '../../platform/system-clock.js';
import { type RoleParts } from './role-parts.js';

/** These say which partners may still be told of an event about a farmer. */
const DISCLOSING = [consentRosterProjection, erasedFarmerProjection];

/** Starts the webhook subscriber, which runs on the leader only, and a sender, which runs in every process with this role. */
export function startWebhooks({ platform, databaseUrl, settings, logger, metrics, signal }: RoleParts): readonly Promise<void>[] {
  const { pool, eventStore, codec, masterKeys, macs, listener } = platform;
  const staleness = new Staleness(DISCLOSING, eventStore, listener, new SystemClock());
  const maxStalenessMs = settings.maxStalenessSeconds * 1_000;
  const subscriber = {
    name: 'webhook subscriber',
    lock: LOCKS.webhookSubscriber,
    work: (until: AbortSignal) => new NotificationSubscriber(pool, eventStore, codec, macs).run(until),
    progress: progressOf(platform, [WEBHOOK_SUBSCRIBER]),
  };
  const slots = new DeliverySlots();
  metrics.webhooks.watch(slots);
  const sender: SenderStores = {
    databaseUrl,
    pool,
    eventStore,
    codec,
    masterKeys,
    macs,
    newest: new NewestRows(eventStore, codec, macs, new ReadModels(eventStore, listener, pool)),
    areOutdated: () => !staleness.isKnown || DISCLOSING.some(({ name }) => staleness.ageOf(name, 'anybody') > maxStalenessMs),
    slots,
    settings: settings.webhooks,
    logger,
    onRecorded: ({ status, duration_ms }) => {
      metrics.webhooks.recorded(status, duration_ms);
    },
    onDeleted: (table, rows) => {
      metrics.deletedRows.deleted(table, rows);
    },
    traced: settings.tracing.enabled,
  };
  return [runAsLeader(subscriber, databaseUrl, logger, signal), sendOnceAgesAreKnown(staleness, sender, signal)];
}

/** Sends deliveries once it is known how old the read models are. Without that, those about farmers would wait for some seconds. */
async function sendOnceAgesAreKnown(staleness: Staleness, sender: SenderStores, signal: AbortSignal): Promise<void> {
  await Promise.race([staleness.start(), once(signal, 'abort')]);
  await runSender(sender, signal);
  await staleness.onApplicationShutdown();
}
