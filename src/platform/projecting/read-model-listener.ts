import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig } from '../database/pool.js';
import { KEY_DESTROYED_CHANNEL } from '../key-store/data-keys.js';
import { CAUGHT_UP_POSITION, DIRECTORY_CHANNEL, PROJECTED_CHANNEL } from './checkpoints.js';

const RECONNECT_DELAY_MS = 500;
const POLL_MS = 50;

/**
 * Listens to the notifications of the projector's transactions (read model position, change of a cached read model) and of destroyed
 * data keys, on a connection of its own. While that connection is down, it polls the position and reports itself as not live.
 */
export class ReadModelListener {
  private position = -1n;
  private connected = false;
  private client: pg.Client | undefined;
  private readonly waiting = new Set<{ position: bigint; resolve: () => void }>();
  private readonly closing = new AbortController();
  private readonly directoryListeners: (() => void)[] = [];
  private readonly keyListeners: ((rupaId?: string) => void)[] = [];
  private reconnecting: Promise<void> | undefined;

  constructor(
    private readonly databaseUrl: string,
    private readonly pool: pg.Pool,
  ) {}

  /** Registers a listener for changes of partners, API keys or prices; it is also called when a change may have been missed. */
  onDirectoryChanged(listener: () => void): void {
    this.directoryListeners.push(listener);
  }

  /** Registers a listener for destroyed data keys; it is called without an id when a notification may have been missed. */
  onKeyDestroyed(listener: (rupaId?: string) => void): void {
    this.keyListeners.push(listener);
  }

  /** False while notifications may be missed, when callers must not use cached values. */
  get live(): boolean {
    return this.connected;
  }

  async start(): Promise<void> {
    await this.connect();
    this.reconnecting = this.reconnectUntilStopped();
  }

  async stop(): Promise<void> {
    this.closing.abort();
    this.wake(() => true);
    await this.client?.end().catch(() => undefined);
    await this.reconnecting;
  }

  /** Waits until the read models show the event at `position`. Returns false if they do not within `timeoutMs`. */
  async waitFor(position: bigint, timeoutMs = 2_000): Promise<boolean> {
    if (this.position >= position) return true;
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      if (!this.connected) await this.poll();
      const left = deadline - performance.now();
      if (this.position >= position || left <= 0 || this.closing.signal.aborted) return this.position >= position;
      await this.wait(position, this.connected ? left : Math.min(left, POLL_MS));
    }
  }

  private directoryChanged(): void {
    for (const listener of this.directoryListeners) listener();
  }

  private keyDestroyed(rupaId?: string): void {
    for (const listener of this.keyListeners) listener(rupaId);
  }

  /** Makes listeners drop all cached values, because notifications may have been missed. */
  private invalidateAll(): void {
    this.directoryChanged();
    this.keyDestroyed();
  }

  private async wait(position: bigint, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const waiter = {
      position,
      resolve: (): void => {
        resolve(undefined);
      },
    };
    this.waiting.add(waiter);
    const timer = setTimeout(waiter.resolve, ms);
    await promise;
    clearTimeout(timer);
    this.waiting.delete(waiter);
  }

  private async reconnectUntilStopped(): Promise<void> {
    const { signal } = this.closing;
    for (;;) {
      await delay(RECONNECT_DELAY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (!this.connected) await this.connect().catch(() => undefined);
    }
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({ ...connectionConfig(this.databaseUrl), keepAlive: true });
    const lost = (): void => {
      if (this.client !== client) return;
      this.connected = false;
      this.invalidateAll();
      this.wake(() => true);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload }) => {
      if (channel === DIRECTORY_CHANNEL) this.directoryChanged();
      else if (channel === KEY_DESTROYED_CHANNEL) this.keyDestroyed(payload);
      else if (payload) this.advance(BigInt(payload));
    });
    await client.connect();
    this.client = client;
    await client.query(`listen ${PROJECTED_CHANNEL}`);
    await client.query(`listen ${DIRECTORY_CHANNEL}`);
    await client.query(`listen ${KEY_DESTROYED_CHANNEL}`);
    await this.poll();
    this.invalidateAll();
    this.connected = true;
  }

  private async poll(): Promise<void> {
    const { rows } = await this.pool.query<{ position: string | null }>(CAUGHT_UP_POSITION);
    const position = rows[0]?.position;
    if (position != null) this.advance(BigInt(position));
  }

  private advance(position: bigint): void {
    if (position <= this.position) return;
    this.position = position;
    this.wake((waiter) => waiter.position <= position);
  }

  private wake(due: (waiter: { position: bigint }) => boolean): void {
    for (const waiter of this.waiting) if (due(waiter)) waiter.resolve();
  }
}
