import { setTimeout as delay } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Erased, erasedAfter, erasedWithKeys, lastErasure } from '../../../../projections/erased-farmer/erased-farmer.reader.js';
import { erasedFarmerProjection } from '../../../../projections/erased-farmer/erased-farmer.projection.js';
import { inTransaction } from '../../../platform/database/pool.js';
import { type Checkpoint, ensureReaction, moveCheckpoints, readPosition, takeFences } from '../../../platform/projecting/checkpoints.js';
import { HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { EventSetAside } from '../../../platform/event-sourcing/coding/unusable-event.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { farmerStreamOf, type FarmerEvent } from '../domain/events.js';
import { ERASURES } from './erasures.js';
import { withRebuildLock } from '../../../platform/projecting/rebuilding/rebuild.js';
import { type ShadowParts } from '../../../platform/projecting/rebuilding/shadow.js';
import { type Erasures } from './erasures.js';
import { overwriteResidualData } from './residual-data.js';

const VERSION = 1;
const ERASED: FarmerEvent['type'] = 'FarmerErased';
/** The longest Rupa ID. */
const LONGEST_ID = 64;
const MAX_BATCH = 1_000;
const POLL_MS = 500;
/** Milliseconds to pause per millisecond of work. Rewriting tables blocks readers, so it takes at most a tenth of the time. */
const PAUSE_PER_WORK = 9;

/**
 * Completes every erasure, even if the process that recorded it died or an older store was restored. It repeats the steps of the erasing
 * call, which changes nothing if they are done, and then overwrites the bytes that the database left in its files.
 */
export class Eraser {
  private readonly events: GenuineEvents;

  constructor(
    private readonly parts: ShadowParts,
    private readonly erasures: Erasures,
    private readonly logger: Logger,
  ) {
    this.events = new GenuineEvents(parts.eventStore, parts.codec);
  }

  /** Runs until `signal` is aborted. @throws FencedOff if another process has taken over, or errors of the stores. */
  async run(signal: AbortSignal): Promise<void> {
    const { pool } = this.parts;
    let checkpoint = await inTransaction(pool, (client) => ensureReaction(client, ERASURES, VERSION));
    await this.erase(await this.recorded(await erasedWithKeys(pool)), signal);
    const stopping = (): boolean => signal.aborted;
    while (!stopping()) {
      const rows = await this.recorded(await erasedAfter(pool, checkpoint.position ?? '-1', MAX_BATCH));
      const began = performance.now();
      const done = await this.erase(rows, signal);
      if (done) checkpoint = await this.moveCheckpoint(checkpoint, rows);
      const pause = done ? Math.max(POLL_MS, (performance.now() - began) * PAUSE_PER_WORK) : POLL_MS;
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns the position of the last completed erasure and of the last recorded one, -1 if there is none. */
  async progress(): Promise<{ done: bigint; due: bigint }> {
    const done = await readPosition(this.parts.pool, ERASURES);
    return { done, due: await lastErasure(this.parts.pool) };
  }

  /** Returns the erasures that the log has. A row that somebody planted must destroy no key, which nothing brings back. */
  private async recorded(erased: readonly Erased[]): Promise<readonly Erased[]> {
    const found = await Promise.all(erased.map(async (each) => ((await this.isRecorded(each)) ? [each] : [])));
    return found.flat();
  }

  /** An erasure is its stream's last event. An id that did not fit into the index does not name its stream. */
  private async isRecorded({ rupa_id }: Erased): Promise<boolean> {
    if (rupa_id.length > LONGEST_ID) return true;
    try {
      if ((await this.events.last(farmerStreamOf(rupa_id)))?.type === ERASED) return true;
    } catch (error) {
      if (error instanceof HistoryMissing || error instanceof EventSetAside) return true;
      throw error;
    }
    this.parts.macs.noteRow(erasedFarmerProjection.name, [rupa_id]);
    return false;
  }

  private async erase(erased: readonly Erased[], signal: AbortSignal): Promise<boolean> {
    const last = erased.at(-1);
    if (
      !last ||
      !(await this.erasures.complete(
        erased.map(({ rupa_id }) => rupa_id),
        BigInt(last.position),
        signal,
      ))
    )
      return false;
    if (erased.every(({ is_test }) => is_test)) return true;
    // A running rebuild may have read the data before the erasure and would restore it, so we wait for it; a later rebuild cannot read
    // the data any more. The lock is released before the rewrite: a transaction that waits for the lock has a snapshot of the old rows,
    // and the rewrite would copy them.
    await withRebuildLock(this.parts, () => Promise.resolve());
    await overwriteResidualData(this.parts.pool, this.logger, signal);
    return true;
  }

  private async moveCheckpoint(checkpoint: Checkpoint, erased: readonly Erased[]): Promise<Checkpoint> {
    const position = erased.at(-1)?.position ?? null;
    if (position === null) return checkpoint;
    await inTransaction(this.parts.pool, async (client) => {
      await takeFences(client, [checkpoint]);
      await moveCheckpoints(client, [ERASURES], BigInt(position));
    });
    return { ...checkpoint, position };
  }
}
