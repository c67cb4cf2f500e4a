import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Pool } from 'pg';
import pino from 'pino';
import { InstancePresence } from '../../src/platform/database/instance-presence.js';
import { OtherInstances } from '../../src/platform/database/other-instances.js';
import { createPool } from '../../src/platform/database/pool.js';
import { MessageKeys } from '../../src/platform/peers/message-keys.js';
import { PEER_TOPICS, type PeerCallOutcome, type PeerTopic } from '../../src/platform/peers/peer-calls.js';
import { CALL_ID, SIGNATURE } from '../../src/platform/peers/peer-server.js';
import { Peers } from '../../src/platform/peers/peers.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

interface Api {
  readonly peers: Peers;
  readonly presence: InstancePresence;
}

describe('the APIs on one database', () => {
  let database: TestDatabase;
  let pool: Pool;
  const apis: Api[] = [];
  let outcomes: `${PeerTopic} ${PeerCallOutcome}`[];

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool(database.url, 4, () => undefined);
  });
  beforeEach(() => {
    outcomes = [];
  });
  afterEach(async () => {
    for (const { peers, presence } of apis.splice(0)) {
      await peers.leave();
      await peers.stop();
      await presence.stop();
    }
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function api(secret = 'shared'): Promise<Api> {
    const presence = new InstancePresence(pool, new SystemClock());
    await presence.start();
    const keys = new MessageKeys(() => [createSecretKey(Buffer.from(secret))]);
    const observer = { called: (topic: PeerTopic, outcome: PeerCallOutcome) => outcomes.push(`${topic} ${outcome}`) };
    const parts = { pool, presence, keys, clock: new SystemClock(), logger: pino({ level: 'silent' }), observer };
    const peers = new Peers(parts, { host: '127.0.0.1', port: 0, advertisedHost: '127.0.0.1' });
    for (const topic of PEER_TOPICS) peers.receive(topic, (message) => Promise.resolve({ topic, by: presence.instance, message }));
    await presence.serve();
    await peers.start();
    apis.push({ peers, presence });
    return { peers, presence };
  }

  it('find and call each other', async () => {
    const [one, other] = [await api(), await api()];
    await until(() => one.peers.others().includes(other.presence.instance));
    expect(other.peers.others()).toStrictEqual([one.presence.instance]);
    for (const topic of PEER_TOPICS)
      expect(await one.peers.call(other.presence.instance, topic, { text: 'ä' })).toStrictEqual({
        topic,
        by: other.presence.instance,
        message: { text: 'ä' },
      });
    expect(outcomes).toStrictEqual(['wallet_commands executed', 'unshown_changes executed']);
  });

  it('do not execute the calls of a program that lacks their master key', async () => {
    const [stranger, other] = [await api('another secret'), await api()];
    await until(() => stranger.peers.others().includes(other.presence.instance));
    await expect(stranger.peers.call(other.presence.instance, 'wallet_commands', {})).rejects.toThrow('status 404');
    expect(stranger.peers.others()).toStrictEqual([]);
    expect(outcomes).toStrictEqual(['wallet_commands failed']);
  });

  it('do not count one that has left or whose process is gone', async () => {
    const [one, left, gone] = [await api(), await api(), await api()];
    await until(() => one.peers.others().length === 2);
    await left.peers.leave();
    await expect(one.peers.call(left.presence.instance, 'wallet_commands', {})).rejects.toThrow('status 503');
    await gone.presence.stop();
    await until(() => one.peers.others().length === 0);
  });

  it('find each other while they serve reads, also without an address, and no command', async () => {
    const [one, other] = [await api(), await api()];
    await other.peers.leave();
    const others = new OtherInstances(pool, one.presence, new SystemClock());
    const command = new InstancePresence(pool, new SystemClock());
    await command.start();
    await until(() => others.current() !== undefined);
    expect(others.current()).toStrictEqual([other.presence.instance]);
    expect(new OtherInstances(pool, command, new SystemClock()).knownSince()).toBeUndefined();
    await other.presence.stop();
    await until(() => others.current()?.length === 0);
    await command.stop();
    expect(others.knownSince()).toBe(one.presence.servesSince);
    await one.presence.stop();
    expect([others.current(), others.knownSince()]).toStrictEqual([undefined, undefined]);
  });

  describe('that get a response which the other API did not give to this call', () => {
    const keys = new MessageKeys(() => [createSecretKey(Buffer.from('shared'))]);
    const idOf = (request: IncomingMessage): string => String(request.headers[CALL_ID]);
    let server: Server;
    let forge: (request: IncomingMessage, response: ServerResponse) => void;

    /** Calls an API whose address is that of the server in between. */
    async function callThroughServer(): Promise<{ caller: Api; called: Promise<unknown> }> {
      const [caller, other] = [await api(), await api()];
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await pool.query('update ops.peer set url = $2 where instance = $1', [other.presence.instance, url]);
      await until(() => caller.peers.others().includes(other.presence.instance));
      return { caller, called: caller.peers.call(other.presence.instance, 'wallet_commands', {}) };
    }

    beforeEach(async () => {
      server = createServer((request, response) => {
        forge(request, response);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    it('accept a signature of the response for the call', async () => {
      forge = (request, response) => response.setHeader(SIGNATURE, keys.sign('response', idOf(request), Buffer.from('[1]'))).end('[1]');
      expect(await (await callThroughServer()).called).toStrictEqual([1]);
    });

    const strangers = new MessageKeys(() => [createSecretKey(Buffer.from('another secret'))]);
    it.each<[string, (request: IncomingMessage) => string | undefined]>([
      ['has no signature', () => undefined],
      ['has a signature that is no hexadecimal number', () => 'x'.repeat(64)],
      ['is signed with another key', (request) => strangers.sign('response', idOf(request), Buffer.from('[1]'))],
      ['was changed', (request) => keys.sign('response', idOf(request), Buffer.from('[2]'))],
      ['was the response to another call', () => keys.sign('response', 'an earlier call', Buffer.from('[1]'))],
      ['has the signature of a call', (request) => keys.sign('call', idOf(request), Buffer.from('[1]'))],
      ['repeats the signature of the call', (request) => String(request.headers[SIGNATURE])],
    ])('refuse one that %s, and avoid that API', async (_name, signatureOf) => {
      forge = (request, response) => {
        const signature = signatureOf(request);
        if (signature !== undefined) response.setHeader(SIGNATURE, signature);
        response.end('[1]');
      };
      const { caller, called } = await callThroughServer();
      await expect(called).rejects.toThrow('not signed for this call');
      expect(caller.peers.others()).toStrictEqual([]);
    });
  });
});
