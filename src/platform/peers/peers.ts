import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { Pool as Connections } from 'undici';
import { type Clock } from '../../kernel/clock.js';
import { type InstancePresence } from '../database/instance-presence.js';
import { LOCKS } from '../database/locks.js';
import { type MessageKeys } from './message-keys.js';
import { type PeerCallObserver, PeerCalls, type PeerReceiver, type PeerTopic } from './peer-calls.js';
import { CALL_ID, PeerServer, SIGNATURE } from './peer-server.js';

/** Milliseconds after which a call without a response has failed. The lookups that wait for it then go on without that API. */
const CALL_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 500;
const CONNECTIONS = 4;
/** An API that did not respond is not called for so long. */
const AVOIDED_MS = 10_000;
const LIST_EVERY_MS = 1_000;

const OTHERS = `select p.instance, p.url from ops.peer p where p.instance <> $1 and ${isPresent('p.instance')}`;
const REGISTER = `insert into ops.peer (instance, url) values ($1, $2) on conflict (instance) do update set url = excluded.url`;
const CLEAR = `delete from ops.peer p where p.instance <> $1 and not ${isPresent('p.instance')}`;

export interface PeerOptions {
  /** Address to listen on, port (0 for a free one), and the host name or address that other APIs reach this one under. */
  readonly host: string;
  readonly port: number;
  readonly advertisedHost: string;
}

interface Call {
  readonly topic: PeerTopic;
  readonly message: unknown;
}

interface Peer {
  readonly connections: Connections;
  avoidedUntil: number;
}

/**
 * The other APIs on the same stores. Each registers its address in ops.peer; one whose presence lock is gone does not count. The list
 * is read again at most once a second, and only when it is used. If PostgreSQL is away, the last list stays in use.
 */
export class Peers extends PeerCalls {
  private readonly server: PeerServer;
  private readonly peers = new Map<number, Peer>();
  private listing: Promise<void> | undefined;
  private listedAt = -Infinity;
  private started = false;
  private readonly receivers = new Map<PeerTopic, PeerReceiver>();

  constructor(
    private readonly parts: {
      readonly pool: Pool;
      readonly presence: InstancePresence;
      readonly keys: MessageKeys;
      readonly clock: Clock;
      readonly logger: Logger;
      readonly observer: PeerCallObserver;
    },
    private readonly options: PeerOptions,
  ) {
    super();
    this.server = new PeerServer(parts.keys);
  }

  override receive(topic: PeerTopic, receiver: PeerReceiver): void {
    this.receivers.set(topic, receiver);
  }

  /** Listens, and registers this API. Without PostgreSQL it stays unknown to the others, which then write themselves. */
  override async start(): Promise<void> {
    this.started = true;
    const { host, port, advertisedHost } = this.options;
    const { pool, presence, logger } = this.parts;
    this.server.handler = (call) => this.execute(call as Call);
    const listeningOn = await this.server.listen(host, port);
    try {
      await pool.query(REGISTER, [presence.instance, `http://${inUrl(advertisedHost)}:${listeningOn}`]);
      await pool.query(CLEAR, [presence.instance, LOCKS.instancePresence]);
      await this.list();
    } catch (error) {
      logger.warn({ reason: String(error) }, 'this API could not tell the others its address; each writes to wallets itself');
    }
  }

  override async leave(): Promise<void> {
    this.server.handler = undefined;
    await this.parts.pool.query('delete from ops.peer where instance = $1', [this.parts.presence.instance]).catch(() => undefined);
  }

  override async stop(): Promise<void> {
    await this.server.close();
    await Promise.all([...this.peers.values()].map(({ connections }) => connections.destroy()));
  }

  override others(): readonly number[] {
    if (!this.started) return [];
    const now = this.parts.clock.elapsedMs();
    if (now - this.listedAt > LIST_EVERY_MS) this.listing ??= this.list().finally(() => (this.listing = undefined));
    this.listing?.catch(() => undefined);
    return [...this.peers].filter(([, { avoidedUntil }]) => avoidedUntil <= now).map(([instance]) => instance);
  }

  override async call(instance: number, topic: PeerTopic, message: unknown): Promise<unknown> {
    const peer = this.peers.get(instance);
    if (!peer) throw new Error('That API is gone.');
    const body = Buffer.from(JSON.stringify({ topic, message } satisfies Call));
    try {
      const response = await this.send(peer.connections, body);
      this.parts.observer.called(topic, 'executed');
      return response;
    } catch (error) {
      this.parts.observer.called(topic, 'failed');
      this.parts.logger.warn({ instance, topic, reason: String(error) }, 'another API did not execute a call; this one goes on without it');
      peer.avoidedUntil = this.parts.clock.elapsedMs() + AVOIDED_MS;
      throw error;
    }
  }

  private async execute({ topic, message }: Call): Promise<unknown> {
    const receiver = this.receivers.get(topic);
    if (!receiver) throw new Error('Nothing here receives calls about that topic.');
    return await receiver(message);
  }

  /** @throws Error also if the response is not signed for this call: it may be forged, or the response to an earlier call */
  private async send(connections: Connections, body: Buffer): Promise<unknown> {
    const { keys } = this.parts;
    const callId = randomUUID();
    const headers = { [CALL_ID]: callId, [SIGNATURE]: keys.sign('call', callId, body) };
    const response = await connections.request({ method: 'POST', path: '/', headers, body });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new Error(`It responded with the status ${response.statusCode}.`);
    }
    const result = Buffer.from(await response.body.bytes());
    if (!keys.verify('response', callId, result, String(response.headers[SIGNATURE] ?? '')))
      throw new Error('Its response is not signed for this call.');
    return JSON.parse(result.toString());
  }

  private async list(): Promise<void> {
    this.listedAt = this.parts.clock.elapsedMs();
    const values = [this.parts.presence.instance, LOCKS.instancePresence];
    const { rows } = await this.parts.pool.query<{ instance: number; url: string }>(OTHERS, values);
    const live = new Set(rows.map(({ instance }) => instance));
    for (const [instance, { connections }] of this.peers) {
      if (live.has(instance)) continue;
      this.peers.delete(instance);
      void connections.close();
    }
    for (const { instance, url } of rows)
      if (!this.peers.has(instance)) this.peers.set(instance, { connections: connect(url), avoidedUntil: 0 });
  }
}

function connect(url: string): Connections {
  return new Connections(url, {
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: CALL_TIMEOUT_MS,
    bodyTimeout: CALL_TIMEOUT_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function isPresent(instance: string): string {
  return `exists (select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = $2 and l.objid::bigint = ${instance}
    and l.granted and l.database = (select oid from pg_database where datname = current_database()))`;
}
