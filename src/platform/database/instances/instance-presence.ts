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

  /** Shows from now on that this instance serves reads. A process without it, such as a command, is told of nothing ({@link OtherInstances}). */
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

/** Milliseconds for which the result of a search for other instances counts, from the moment before it was asked for. */
const COUNTS_MS = 2_000;
const SEARCH_EVERY_MS = 1_000;
/** Milliseconds after which every search that another instance relies on has found this one; a little longer, as no two clocks run alike. */
const KNOWN_AFTER_MS = COUNTS_MS + 200;

const OTHERS = `select objid::bigint::int as instance from pg_locks where locktype = 'advisory' and objsubid = 2 and classid = $1
    and objid::bigint <> $2 and granted and database = (select oid from pg_database where datname = current_database())`;

interface Found {
  readonly instances: readonly number[];
  /** On the clock's stopwatch. */
  readonly until: number;
  /** Since when this instance had shown that it serves reads when the search began. */
  readonly since: number | undefined;
}

/**
 * The other APIs on the same stores, by the locks that show that they serve reads. A search counts for two seconds, and an
 * instance is known once no search counts any more that may have missed it. So an instance that is known is in what others find.
 */
export class OtherInstances {
  private found: Found | undefined;
  private searchedAt = -Infinity;
  private searching: Promise<void> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly presence: Pick<InstancePresence, 'instance' | 'servesSince'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the numbers of all other instances that are known; undefined if that is not certain. It does not wait for PostgreSQL: the first
   * call, and one after a pause, returns undefined.
   */
  current(): readonly number[] | undefined {
    const now = this.clock.elapsedMs();
    if (now - this.searchedAt >= SEARCH_EVERY_MS) this.searching ??= this.search(now);
    const { found } = this;
    // An instance may be known by having found nobody while this one did not hold its lock.
    const counts = found?.since !== undefined && found.since === this.presence.servesSince && now < found.until;
    return counts ? found.instances : undefined;
  }

  /** Returns since when this instance has shown that it serves reads, on the clock's stopwatch, if it is known by now; otherwise undefined. */
  knownSince(): number | undefined {
    const { servesSince } = this.presence;
    if (servesSince === undefined) return undefined;
    const isKnown = this.current()?.length === 0 || this.clock.elapsedMs() - servesSince >= KNOWN_AFTER_MS;
    return isKnown ? servesSince : undefined;
  }

  /** Waits for the search in progress, if there is one. */
  async searched(): Promise<void> {
    await this.searching;
  }

  private async search(now: number): Promise<void> {
    this.searchedAt = now;
    const { instance, servesSince } = this.presence;
    try {
      const { rows } = await this.pool.query<{ instance: number }>(OTHERS, [LOCKS.servesReads, instance]);
      this.found = { instances: rows.map((row) => row.instance), until: now + COUNTS_MS, since: servesSince };
    } catch {
      // The previous result counts for as long as it would anyway.
    } finally {
      this.searching = undefined;
    }
  }
}
