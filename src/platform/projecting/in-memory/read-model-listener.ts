import { Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { connectionConfig } from '../../database/pool.js';
import { SessionClient } from '../../database/session-client.js';
import { KEY_DESTROYED_CHANNEL } from '../../key-store/data-keys.js';
import { announcedIn, PROJECTED_CHANNEL, shownPositions, ShownModels } from '../checkpoints.js';
import { announceWanted, WantedSender } from '../wanted-positions.js';
import { DirectoryLease, DIRECTORY_CHANNEL } from './directory-lease.js';

const RECONNECT_DELAY_MS = 500;
const POLL_MS = 50;
/** A connection without a break in the network still falls silent when its peer hangs, so the listener asks this often. */
const HEARTBEAT_MS = 250;
/** A connection that has not answered for this long is replaced. */
const SILENT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;

interface Connection {
  readonly client: pg.Client;
  /** The client itself can only end the connection, which waits for an answer. */
  readonly socket: Duplex;
}

/**
 * Listens to the notifications of the projector's transactions (read model position, change of a cached read model) and of destroyed
 * data keys, on a connection of its own. It asks PostgreSQL for a sign of life on that connection several times a second. While there is
 * none, it polls the position and reports itself as not live.
 */
export class ReadModelListener {
  private readonly shown = new ShownModels();
  private connection: Connection | undefined;
  private readonly lease = new DirectoryLease();
  private readonly waiting = new Set<{ isDue: () => boolean; resolve: () => void }>();
  private readonly closing = new AbortController();
  private readonly directoryListeners: (() => void)[] = [];
  private readonly keyListeners: ((rupaId?: string) => void)[] = [];
  private readonly wanted = new WantedSender(async (position) => {
    await announceWanted(this.connection?.client ?? this.pool, position);
  });
  private readonly channels: Map<string, ((payload?: string) => void)[]>;
  private beating: Promise<void> | undefined;
  private lastBeat: Promise<void> = Promise.resolve();
  private nextBeat: Promise<void> | undefined;

  /** @param channels further channels to listen to, for {@link onNotification} */
  constructor(
    private readonly databaseUrl: string,
    private readonly pool: pg.Pool,
    channels: readonly string[] = [],
  ) {
    this.channels = new Map(channels.map((channel) => [channel, []]));
  }

  /** Registers a listener for the notifications of a further channel; it is also called, without their text, when one may have been missed. */
  onNotification(channel: string, listener: (payload?: string) => void): void {
    const listeners = this.channels.get(channel);
    if (!listeners) throw new Error(`The listener was made without the channel ${channel}.`);
    listeners.push(listener);
  }

  /** Registers a listener for changes of partners, API keys or prices; it is also called when a change may have been missed. */
  onDirectoryChanged(listener: () => void): void {
    // A lease that began before there were caches is confirmed by no row.
    this.lease.end();
    this.directoryListeners.push(listener);
  }

  /** Registers a listener for destroyed data keys; it is called without an id when a notification may have been missed. */
  onKeyDestroyed(listener: (rupaId?: string) => void): void {
    this.keyListeners.push(listener);
  }

  /** False while notifications may be missed, when callers must not use cached values. */
  get live(): boolean {
    return this.lease.valid;
  }

  /** Milliseconds for which this listener has not been live; 0 while it is. */
  get silentMs(): number {
    return this.lease.lapsedMs;
  }

  async start(): Promise<void> {
    await this.connect();
    this.beating = this.beatUntilStopped();
  }

  async stop(): Promise<void> {
    this.closing.abort();
    this.wake(() => true);
    await this.beating;
    await this.lease.release(this.pool).catch(() => undefined);
    const { connection } = this;
    if (connection) await inTime(connection, SILENT_MS, () => connection.client.end()).catch(() => undefined);
  }

  /** Returns whether the read models are known to show the event at `position`; without `models`, those that keep up with the log. */
  hasReached(position: bigint, models?: readonly string[]): boolean {
    return this.shown.show(position, models);
  }

  /** Returns the position up to which the read model is known to show the log. */
  shownBy(model: string): bigint {
    return this.shown.of(model);
  }

  /**
   * Waits until the read models show the event at `position`, which the projector is asked for. Returns false if they do not within
   * `timeoutMs`.
   */
  async waitFor(position: bigint, timeoutMs = 2_000, models?: readonly string[]): Promise<boolean> {
    const isDue = (): boolean => this.hasReached(position, models);
    if (isDue()) return true;
    const deadline = performance.now() + timeoutMs;
    if (this.live) this.wanted.want(position);
    for (;;) {
      if (!this.live) await this.poll();
      const left = deadline - performance.now();
      if (isDue() || left <= 0 || this.closing.signal.aborted) return isDue();
      await this.wait(isDue, this.live ? Math.min(left, HEARTBEAT_MS) : Math.min(left, POLL_MS));
    }
  }

  /** Asks how far the read models are if no notification would tell. */
  async refresh(): Promise<void> {
    if (!this.live) await this.poll();
  }

  private directoryChanged(): void {
    for (const listener of this.directoryListeners) listener();
  }

  private keyDestroyed(rupaId?: string): void {
    for (const listener of this.keyListeners) listener(rupaId);
  }

  /** Makes listeners drop all cached values and look for news, because notifications may have been missed. */
  private invalidateAll(): void {
    this.directoryChanged();
    this.keyDestroyed();
    for (const channel of this.channels.keys()) this.notified(channel);
  }

  private notified(channel: string, payload?: string): void {
    for (const listener of this.channels.get(channel) ?? []) listener(payload);
  }

  private async wait(isDue: () => boolean, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const waiter = {
      isDue,
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

  private async beatUntilStopped(): Promise<void> {
    const { signal } = this.closing;
    for (;;) {
      await delay(this.connection ? HEARTBEAT_MS : RECONNECT_DELAY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await (this.connection ? this.beat() : this.connect()).catch(() => undefined);
    }
  }

  /** Renews the lease once the renewal in progress has ended, because a connection executes one query at a time. Calls that wait share one. */
  private beat(): Promise<void> {
    this.nextBeat ??= this.lastBeat.then(() => {
      this.nextBeat = undefined;
      const beat = this.renew();
      this.lastBeat = beat.catch(() => undefined);
      return beat;
    });
    return this.nextBeat;
  }

  private async renew(): Promise<void> {
    const { connection } = this;
    if (!connection || this.closing.signal.aborted) return;
    const hasCaches = this.directoryListeners.length > 0;
    await inTime(connection, SILENT_MS, () =>
      this.lease.renew(connection.client, hasCaches, () => {
        this.directoryChanged();
      }),
    );
  }

  private async connect(): Promise<void> {
    const { stream = () => new Socket(), ...config } = connectionConfig(this.databaseUrl);
    const socket = stream() ?? new Socket();
    const client = new SessionClient({ ...config, keepAlive: true, stream: () => socket });
    const connection = { client, socket };
    const lost = (): void => {
      if (this.connection !== connection) return;
      this.connection = undefined;
      this.lease.end();
      this.invalidateAll();
      this.wake(() => true);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload }) => {
      if (channel === DIRECTORY_CHANNEL) {
        this.directoryChanged();
        void this.beat().catch(() => undefined);
      } else if (channel === KEY_DESTROYED_CHANNEL) this.keyDestroyed(payload);
      else if (this.channels.has(channel)) this.notified(channel, payload);
      else if (payload) {
        this.shown.announced(announcedIn(payload));
        this.wakeDue();
      }
    });
    try {
      await inTime(connection, CONNECT_TIMEOUT_MS, async () => {
        await client.connect();
        for (const channel of [PROJECTED_CHANNEL, DIRECTORY_CHANNEL, KEY_DESTROYED_CHANNEL, ...this.channels.keys()])
          await client.query(`listen ${channel}`);
        await this.poll(client);
      });
    } catch (error) {
      // The next attempt opens another connection. If PostgreSQL has few left, this one would take the last.
      socket.destroy();
      throw error;
    }
    if (socket.destroyed) throw new Error('The connection broke while the listener started.');
    this.invalidateAll();
    this.connection = connection;
  }

  private async poll(client: pg.Client | pg.Pool = this.pool): Promise<void> {
    this.shown.read(await shownPositions(client));
    this.wakeDue();
  }

  private wakeDue(): void {
    this.wake(({ isDue }) => isDue());
  }

  private wake(due: (waiter: { readonly isDue: () => boolean }) => boolean): void {
    for (const waiter of this.waiting) if (due(waiter)) waiter.resolve();
  }
}

/** Destroys the connection, which makes its queries fail, if the work takes longer. */
async function inTime(connection: Connection, ms: number, work: () => Promise<void>): Promise<void> {
  let done = false;
  const timer = setTimeout(() => {
    // After a blocked event loop the timer runs before the answer is read that may have arrived long ago.
    void turn().then(() => {
      if (!done) connection.socket.destroy();
    });
  }, ms);
  try {
    await work();
  } finally {
    done = true;
    clearTimeout(timer);
  }
}
