import { randomInt } from 'node:crypto';
import pg, { type Pool } from 'pg';
import { LOCKS } from './locks.js';

const RECONNECT_MS = 1_000;
/** A session that was lost without a word is noticed by the next probe. */
const PROBE_EVERY_MS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;
/**
 * PostgreSQL ends the session after about 90 s if this host does not even acknowledge packets: it lost power, or the network between them
 * broke. A process that is merely stopped keeps its session, because its kernel goes on to acknowledge.
 */
const KEEPALIVE = 'set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 15; set tcp_keepalives_count = 4';

/**
 * Shows to other instances that this one exists, by an advisory lock that its own database session holds. No clock takes part: PostgreSQL
 * releases the lock when the process ends, and keeps it while the process is paused.
 */
export class InstancePresence {
  readonly instance = randomInt(1, 2 ** 31);
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly pool: Pool) {}

  /** Takes the lock, and takes it again whenever the session is lost. If the first attempt fails, it is repeated in the background. */
  async start(): Promise<void> {
    const client = new pg.Client({ ...this.pool.options, query_timeout: QUERY_TIMEOUT_MS });
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
      if (rows[0]?.held) this.probeLater(client);
      else this.reconnect(client);
    } catch {
      this.reconnect(client);
    }
  }

  /** Releases the lock. Call it once this instance can close none of its charges any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private probeLater(client: pg.Client): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      client.query('select 1').then(
        () => {
          this.probeLater(client);
        },
        () => {
          this.reconnect(client);
        },
      );
    }, PROBE_EVERY_MS);
  }

  private reconnect(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    void client.end().catch(() => undefined);
    if (!this.stopped) this.timer = setTimeout(() => void this.start(), RECONNECT_MS);
  }
}
