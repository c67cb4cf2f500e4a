import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { isHeld, LOCKS } from '../../../platform/database/instances/locks.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { CheckpointLog } from './checkpoint-log.js';
import { CheckpointMaker, type Made } from './checkpoint-maker.js';

const WANTED_CHANNEL = 'rupa_checkpoint_wanted';
const MADE_CHANNEL = 'rupa_checkpoint_made';
/** Channels of PostgreSQL over which a process asks the one that keeps the tree for a checkpoint, and that one answers. */
export const CHECKPOINT_CHANNELS: readonly string[] = [WANTED_CHANNEL, MADE_CHANNEL];

/** Milliseconds after which the process that keeps the tree is taken to hang, or to be reading the log still. */
const ANSWER_MS = 10_000;

/** The answer of the process that keeps the tree: the checkpoint, or null if it could not make one. */
type Answer = Pick<Made, 'number' | 'isNew'> | null;

/**
 * Makes checkpoints on demand. The process that keeps the tree has read the whole log already, so it is asked. Without it, or if it cannot
 * make one, this process reads the log itself, which takes longer the longer the log is.
 */
@Injectable()
export class RequestedCheckpoints {
  private readonly answers = new Map<string, (answer: Answer) => void>();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    listener: ReadModelListener,
    private readonly log: CheckpointLog,
    private readonly maker: CheckpointMaker,
  ) {
    listener.onNotification(MADE_CHANNEL, (payload) => {
      if (payload !== undefined) this.answered(payload);
    });
  }

  /** @param actor of a checkpoint that this process makes itself; `service` makes those that are asked for. Throws like {@link CheckpointMaker.make} */
  async make(actor: string): Promise<Made> {
    if (!(await isHeld(this.pool, LOCKS.checkpoints))) return await this.maker.make(actor);
    const before = (await this.log.last())?.number ?? 0;
    const answer = await this.ask();
    const isPossible = answer && (answer.isNew ? answer.number > before : answer.number >= before);
    const made = isPossible ? await this.log.find(answer.number) : undefined;
    return made ? { ...made, isNew: answer?.isNew === true } : await this.maker.make(actor);
  }

  private async ask(): Promise<Answer> {
    const id = randomUUID();
    const [answered, done] = [Promise.withResolvers<Answer>(), new AbortController()];
    this.answers.set(id, answered.resolve);
    try {
      await this.pool.query('select pg_notify($1, $2)', [WANTED_CHANNEL, id]);
      return await Promise.race([answered.promise, delay(ANSWER_MS, null, { signal: done.signal }).catch(() => null)]);
    } finally {
      done.abort();
      this.answers.delete(id);
    }
  }

  /** Takes an answer. Anyone with the database can send one, but it only names a checkpoint, which is read from the log: at worst the last one. */
  private answered(payload: string): void {
    const [id = '', number, isNew] = payload.split(' ');
    this.answers.get(id)?.(/^\d{1,15}$/.test(number ?? '') ? { number: Number(number), isNew: isNew === 'new' } : null);
  }
}

/** The requests for checkpoints that a process has received while it keeps the tree. */
export class CheckpointRequests {
  private readonly wanted = new Set<string>();
  private isKeeping = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly pool: Pool,
    listener: ReadModelListener,
  ) {
    listener.onNotification(WANTED_CHANNEL, (id) => {
      if (id !== undefined && this.isKeeping) this.wanted.add(id);
      this.wake();
    });
  }

  /** Takes requests for as long as `keep`, which keeps the tree, runs. */
  async during(keep: () => Promise<void>): Promise<void> {
    this.isKeeping = true;
    try {
      await keep();
    } finally {
      this.isKeeping = false;
      this.wanted.clear();
    }
  }

  /** Waits until one arrives, for `ms` at most, or until `signal` is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.wanted.size > 0) return;
    const woken = new AbortController();
    this.wake = () => {
      woken.abort();
    };
    await delay(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
  }

  /** Answers those that have arrived with one checkpoint, which is made for them if there are any. Throws like `make`. */
  async answer(make: () => Promise<Made>): Promise<void> {
    const ids = [...this.wanted];
    if (ids.length === 0) return;
    this.wanted.clear();
    let answer = '';
    try {
      const { number, isNew } = await make();
      answer = ` ${number} ${isNew ? 'new' : 'known'}`;
    } finally {
      await this.pool.query('select pg_notify($1, id || $2) from unnest($3::text[]) as id', [MADE_CHANNEL, answer, ids]);
    }
  }
}
