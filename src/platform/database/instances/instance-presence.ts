import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { type Pool } from 'pg';
import { type Clock } from '../../../kernel/clock.js';
import { LOCKS } from './locks.js';
import { clientLike } from '../session-client.js';

const RECONNECT_MS = 1_000;
/** A session that was lost without a word is noticed by the next probe. */
const PROBE_EVERY_MS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;
/**
 * PostgreSQL ends the session after about 90 s if this host does not even acknowledge packets: it lost power, or the network between them
 * broke. A process that is merely stopped keeps its session, because its kernel goes on to acknowledge.
 */
const KEEPALIVE = 'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 15; set tcp_keepalives_count = 4';

const PROBE = `select set_config('application_name', $1, false), (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`;

/**
 * Shows to other instances that this one exists, by an advisory lock that its own database session holds. No clock takes part: PostgreSQL
 * releases the lock when the process ends, and keeps it while the process is paused.
 */
export class InstancePresence {
  readonly instance = randomInt(1, 2 ** 31);
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Milliseconds by which this host's clock is ahead of the database's. */
  private clockAheadMs = 0;
  private isServing = false;
  private servingSince: number | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  /** Since when a second lock shows that this instance serves reads, on the clock's stopwatch; undefined while it is not held. */
  get servesSince(): number | undefined {
    return this.servingSince;
  }

  /** Takes the lock, and takes it again whenever the session is lost. If the first attempt fails, it is repeated in the background. */
  async start(): Promise<void> {
    const client = clientLike(this.pool, { statements: 'request' }, { query_timeout: QUERY_TIMEOUT_MS });
    this.client = client;
    client.on('error', () => {
      this.reconnect(client);
    });
    try {
      await client.connect();
      await client.query(KEEPALIVE);
      const lock = [LOCKS.instancePresence, this.instance];
      const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', lock);
      // PostgreSQL may not have noticed yet that the previous session is gone. That session's lock serves until it has.
      if (rows[0]?.held) {
        if (this.isServing) await this.showServing(client);
        await this.probe(client);
        this.probeLater(client);
      } else this.reconnect(client);
    } catch {
      this.reconnect(client);
    }
  }

  /** Shows from now on that this instance serves reads. A process without it, such as a command, is told of nothing (other-instances.ts). */
  async serve(): Promise<void> {
    this.isServing = true;
    const { client } = this;
    if (!client) return;
    await this.showServing(client).catch(() => {
      this.reconnect(client);
    });
  }

  /** Releases the lock. Call it once this instance can close none of its charges any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.servingSince = undefined;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async showServing(client: pg.Client): Promise<void> {
    const lock = [LOCKS.servesReads, this.instance];
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', lock);
    if (!rows[0]?.held) this.reconnect(client);
    else if (this.client === client) this.servingSince = this.clock.elapsedMs();
  }

  private probeLater(client: pg.Client): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.probe(client).then(
        () => {
          this.probeLater(client);
        },
        () => {
          this.reconnect(client);
        },
      );
    }, PROBE_EVERY_MS);
  }

  /** Compares the clocks, and names the session for the result of the last comparison. */
  private async probe(client: pg.Client): Promise<void> {
    const before = Date.now();
    const { rows } = await client.query<{ now_ms: number }>(PROBE, [presenceName(this.instance, this.clockAheadMs)]);
    const [after, now] = [Date.now(), rows[0]?.now_ms ?? before];
    this.clockAheadMs = Math.round((before + after) / 2 - now);
  }

  private reconnect(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.servingSince = undefined;
    clearTimeout(this.timer);
    void client.end().catch(() => undefined);
    if (!this.stopped) this.timer = setTimeout(() => void this.start(), RECONNECT_MS);
  }
}

export function presenceName(instance: number, clockAheadMs: number): string {
  return `rupa-ledger instance ${instance} clock ${clockAheadMs} ms`;
}

/** Reads a name that `presenceName` made; undefined if it is another one. */
export function parsePresenceName(name: string): { readonly instance: number; readonly clockAheadMs: number } | undefined {
  const [, instance, ms] = /^rupa-ledger instance (\d+) clock (-?\d+) ms$/.exec(name) ?? [];
  return instance === undefined ? undefined : { instance: Number(instance), clockAheadMs: Number(ms) };
}
