import { setTimeout as delay } from 'node:timers/promises';
import { type Logger } from 'pino';
import { inTransaction } from '../../platform/database/pool.js';
import { type Checkpoint, ensureReaction, moveCheckpoints, takeFences } from '../../platform/projecting/checkpoints.js';
import { ERASURES } from './erasures.js';
import { withRebuildLock } from '../../platform/projecting/rebuild.js';
import { type ShadowParts } from '../../platform/projecting/shadow.js';
import { type Erasures } from './erasures.js';
import { overwriteTraces } from './traces.js';

const VERSION = 1;
const MAX_BATCH = 1_000;
const POLL_MS = 500;
/** Rewriting keeps readers waiting: it may take this part of the time, and erasures that come meanwhile are cleaned up after together. */
const REST_PER_WORK = 9;

interface Erased {
  readonly rupa_id: string;
  readonly position: string;
}

/** Erased farmers whose key is there, or has no tombstone: an older key store was restored. */
const CAME_BACK = `select e.rupa_id, e.position from read.erased_farmer e
  left join key_store.data_key k on k.rupa_id = e.rupa_id where k.rupa_id is null or k.wrapped is not null order by e.position`;

const NEXT = `select rupa_id, position from read.erased_farmer where position > $1 order by position limit ${MAX_BATCH}`;

/**
 * Sees every erasure through: whatever process died after its event, whatever was restored since. What a call has done at once is done
 * again, which changes nothing; then the bytes that the database left in its files are overwritten.
 */
export class Eraser {
  constructor(
    private readonly parts: ShadowParts,
    private readonly erasures: Erasures,
    private readonly logger: Logger,
  ) {}

  /** Until `signal` is aborted. @throws FencedOff when another one is at work, or what the stores throw. */
  async run(signal: AbortSignal): Promise<void> {
    const { pool } = this.parts;
    let checkpoint = await inTransaction(pool, (client) => ensureReaction(client, ERASURES, VERSION));
    await this.erase((await pool.query<Erased>(CAME_BACK)).rows, signal);
    const stopping = (): boolean => signal.aborted;
    while (!stopping()) {
      const { rows } = await pool.query<Erased>(NEXT, [checkpoint.position ?? '-1']);
      const began = performance.now();
      const done = await this.erase(rows, signal);
      if (done) checkpoint = await this.move(checkpoint, rows);
      const pause = done ? Math.max(POLL_MS, (performance.now() - began) * REST_PER_WORK) : POLL_MS;
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** How far it is, and how far there is to go. */
  async progress(): Promise<{ done: bigint; due: bigint }> {
    const { rows } = await this.parts.pool.query<{ done: string; due: string }>(
      `select coalesce((select position from ops.checkpoint where projection = $1), -1) as done, coalesce((select max(position) from read.erased_farmer), -1) as due`,
      [ERASURES],
    );
    return { done: BigInt(rows[0]?.done ?? -1), due: BigInt(rows[0]?.due ?? -1) };
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
    // A rebuild under way would bring back what it read before the erasure; one that begins now reads nothing more of it. The turn is not
    // kept: whoever waits for it sees the rows as they were when it began to wait, and they would be copied along.
    await withRebuildLock(this.parts, () => Promise.resolve());
    await overwriteTraces(this.parts.pool, this.logger, signal);
    return true;
  }

  private async move(checkpoint: Checkpoint, erased: readonly Erased[]): Promise<Checkpoint> {
    const position = erased.at(-1)?.position ?? null;
    if (position === null) return checkpoint;
    await inTransaction(this.parts.pool, async (client) => {
      await takeFences(client, [checkpoint]);
      await moveCheckpoints(client, [ERASURES], BigInt(position));
    });
    return { ...checkpoint, position };
  }
}
