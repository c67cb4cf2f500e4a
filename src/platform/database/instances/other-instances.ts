import { type Pool } from 'pg';
import { type Clock } from '../../../kernel/clock.js';
import { type InstancePresence } from './instance-presence.js';
import { LOCKS } from './locks.js';

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
 * The other APIs on the same stores, by the locks that show that they serve reads (instance-presence.ts). A search counts for two seconds, and an
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
