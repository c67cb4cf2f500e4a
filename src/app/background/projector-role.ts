import { type Logger } from 'pino';
import { OPERATIONAL_TABLES } from '../../contexts/operational-tables.js';
import { RowSweep } from '../../platform/projecting/forged-rows.js';
import { type Progress, type ShadowParts } from '../../platform/projecting/rebuilding/shadow.js';
import { projections } from '../../../projections/index.js';
import { type ContributionEvent } from '../../contexts/reports/domain/events.js';
import { Eraser } from '../../contexts/farmers/erasing/eraser.js';
import { Erasures } from '../../contexts/farmers/erasing/erasures.js';
import { areOfThisRelease, verifyDecidingTables } from '../../contexts/rebuilding/verifying/deciding-tables.js';
import { HourlyVerification } from '../../contexts/rebuilding/verifying/hourly-verification.js';
import { ProjectionJobRunner } from '../../contexts/rebuilding/projection-job-runner.js';
import { VerificationLease } from '../../contexts/rebuilding/verifying/verification-lease.js';
import { type WalletEvent } from '../../contexts/wallet/domain/events.js';
import { LOCKS } from '../../platform/database/instances/locks.js';
import { type BatchingWindow } from '../../platform/projecting/applying/batches.js';
import { WANTED_CHANNEL, WantedPositions } from '../../platform/projecting/wanted-positions.js';
import { readCheckpoints } from '../../platform/projecting/checkpoints.js';
import { type Projection } from '../../platform/projecting/projection.js';
import { type ReadModelListener } from '../../platform/projecting/in-memory/read-model-listener.js';
import { Projector } from '../../platform/projecting/applying/projector.js';
import { withRebuildLock, rebuild } from '../../platform/projecting/rebuilding/rebuild.js';
import { newerReadModel, SteppedDown } from '../../platform/projecting/applying/stepped-down.js';
import { prepareReadModels } from '../../platform/projecting/applying/start-up.js';
import { categoryOf } from '../../platform/event-sourcing/stream-kind.js';
import { type UnusableEvent } from '../../platform/event-sourcing/coding/unusable-event.js';
import { inTransaction } from '../../platform/database/pool.js';
import { type StoredEvent } from '../../platform/event-sourcing/recorded-event.js';
import { announceDirectoryChange } from '../../platform/projecting/in-memory/directory-lease.js';
import { forgetUnusable, usableAgain } from '../../platform/unusable-events/unusable-table.js';
import { SystemClock } from '../../platform/system-clock.js';
import { runAsLeader, progressOf } from '../../platform/leader.js';
import { type RoleParts } from './role-parts.js';

const SCHEMA = 'read';
const MAX_BATCH = 1_000;
const PROGRESS_LOGGED_EVERY_MS = 5_000;
const DIRECTORY = projections.filter(({ cached }) => cached).map(({ name }) => name);
/**
 * Milliseconds that events wait for more if no reader waits for them: larger batches cost less, and nobody sees the delay. Writing a batch
 * takes up to 100 ms more under load, and the lag is to stay below 250 ms.
 */
const UNWANTED_MS = 120;
/** Milliseconds to wait for more events of a type before writing a batch. A reader that waits for a position ends the wait. */
const BATCHING_WINDOW_MS: Readonly<Partial<Record<string, number>>> = {
  ...({
    WalletCredited: 0,
    CreditReversed: 0,
    WalletPaidOut: 0,
    WalletDebited: UNWANTED_MS,
    ConsentGranted: UNWANTED_MS,
    ChargesSettled: UNWANTED_MS,
    RefundIssued: UNWANTED_MS,
    LookupCompensated: 0,
  } satisfies Record<WalletEvent['type'], number>),
  ...({ ContributionRecorded: UNWANTED_MS, ContributionUpdated: UNWANTED_MS } satisfies Record<ContributionEvent['type'], number>),
};
const batchingWindow: BatchingWindow = ({ type }) => BATCHING_WINDOW_MS[type] ?? 0;

/**
 * Starts the projector, the eraser, the rebuild of outdated read models, the jobs of administrators and the hourly verification. Resolves once
 * every table exists, because the API reads them from its first request on; the returned promises resolve when the role has stopped.
 */
export async function startProjector(role: RoleParts): Promise<readonly Promise<void>[]> {
  const { platform, databaseUrl, logger, metrics, signal } = role;
  const { pool, eventStore, codec, dataKeys, macs } = platform;
  const wanted = wantedBy(platform.listener);
  const parts: ShadowParts = { pool, eventStore, codec, macs, signal, onProgress: logProgress(logger) };
  const names = projections.map(({ name }) => name);
  metrics.projecting.startAtZero(names);
  const prepared = await prepareReadModels(parts, projections, SCHEMA);
  const usable = await usableAgain(pool, eventStore, codec);
  const outdated = projections.filter((each) => prepared.includes(each) || usable.some(({ type }) => each.types.has(type)));
  const eraser = new Eraser(parts, new Erasures(pool, dataKeys), logger);
  const projector = {
    name: 'projector',
    lock: LOCKS.projector,
    work: (until: AbortSignal) => project(role, wanted, until),
    progress: progressOf(platform, names),
    assertMayLead: async () => {
      const newer = newerReadModel(await readCheckpoints(pool), projections);
      if (newer !== undefined) throw new SteppedDown(newer);
    },
  };
  const erasing = {
    name: 'eraser',
    lock: LOCKS.eraser,
    work: (until: AbortSignal) => eraser.run(until),
    progress: () => eraser.progress(),
  };
  return [
    runAsLeader(projector, databaseUrl, logger, signal),
    runAsLeader(erasing, databaseUrl, logger, signal),
    rebuildOutdated(parts, outdated, usable, logger, signal),
    jobRunner(role).run(signal),
    hourlyVerification(role).run(signal),
    new RowSweep(pool, macs, projections, OPERATIONAL_TABLES).run(signal),
  ];
}

function jobRunner({ platform: { pool, eventStore, codec, macs }, logger, metrics }: RoleParts): ProjectionJobRunner {
  const onDeleted = (table: string, rows: number): void => {
    metrics.deletedRows.deleted(table, rows);
  };
  return new ProjectionJobRunner({ pool, eventStore, codec, macs, projections, logger, onDeleted });
}

function hourlyVerification({ platform: { pool, eventStore, codec, macs }, logger }: RoleParts): HourlyVerification {
  return new HourlyVerification({
    clock: new SystemClock(),
    lease: new VerificationLease(pool),
    mayVerify: () => areOfThisRelease(pool, projections),
    verify: (signal) => verifyDecidingTables({ pool, eventStore, codec, macs, signal }, projections),
    onFailed: (error) => {
      logger.warn(
        { reason: String(error) },
        'the tables by which calls decide could not be compared with the log; trying again in ten minutes',
      );
    },
  });
}

/** Returns the positions that readers of all processes wait for from now on. */
function wantedBy(listener: ReadModelListener): WantedPositions {
  const wanted = new WantedPositions();
  listener.onNotification(WANTED_CHANNEL, (payload) => {
    wanted.heard(payload);
  });
  return wanted;
}

function project({ platform, logger, metrics }: RoleParts, wanted: WantedPositions, until: AbortSignal): Promise<void> {
  const { pool, eventStore, codec, dataKeys, macs } = platform;
  // A standby reads no erasures, so its cache may hold keys that have been destroyed since. A leader reads every erasure at its position in
  // the log.
  dataKeys.forget();
  const options = {
    projections,
    schema: SCHEMA,
    maxBatch: MAX_BATCH,
    batching: { window: batchingWindow, wanted },
    directory: DIRECTORY,
    onFault: (projection: string, reason: string) => {
      logger.error(
        { projection, reason },
        'a projection is faulted and does not advance; it goes on by itself within half a minute once it can apply the event',
      );
      metrics.projecting.faulted(projection);
    },
    onResumed: (projection: string) => {
      logger.info({ projection }, 'a faulted projection can apply its event again and goes on');
    },
    onPassedOver: (unusable: readonly UnusableEvent[], foreign: number) => {
      for (const { event, reason } of unusable)
        logger.error(
          { category: categoryOf(event.stream), position: event.position.toString(), event_id: event.id, reason },
          'an event cannot be used and is set aside; rupa projections status names it, and rupa events skip passes over it',
        );
      if (foreign > 0) metrics.projecting.passedOver(foreign);
    },
    onApplied: (events: number, seconds: number) => {
      metrics.projecting.applied(events, seconds);
    },
  };
  return new Projector(pool, eventStore, codec, macs, options).run(until);
}

/**
 * Drops the shadow schemas of killed rebuilds and rebuilds the tables that an older version of the service built, or from which it left
 * out events that this one can use. If it fails, the old
 * tables stay in use.
 */
async function rebuildOutdated(
  parts: ShadowParts,
  outdated: readonly Projection[],
  usable: readonly StoredEvent[],
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    await withRebuildLock(parts, async () => {
      if (outdated.length > 0) await rebuild(parts, outdated, SCHEMA);
      await inTransaction(parts.pool, async (client) => {
        await forgetUnusable(
          client,
          usable.map(({ id }) => id),
        );
        if (usable.length > 0) await announceDirectoryChange(client);
      });
    });
  } catch (error) {
    if (signal.aborted) return;
    logger.error({ err: error }, 'outdated read models could not be rebuilt and stay in use. Run: rupa projections rebuild --all');
  }
}

/** Returns a callback that logs the progress of a rebuild, at most every five seconds. */
function logProgress(logger: Logger): (progress: Progress) => void {
  let loggedAt = Date.now();
  return ({ events, position, target }) => {
    if (Date.now() - loggedAt < PROGRESS_LOGGED_EVERY_MS) return;
    loggedAt = Date.now();
    logger.info({ events, position: position.toString(), target: target.toString() }, 'building read models from the log');
  };
}
