import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import pino from 'pino';
import { InstancePresence } from '../../src/platform/database/instance-presence.js';
import { createPool } from '../../src/platform/database/pool.js';
import { MessageKeys } from '../../src/platform/peers/message-keys.js';
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

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool(database.url, 4, () => undefined);
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
    const presence = new InstancePresence(pool);
    await presence.start();
    const keys = new MessageKeys(() => [Buffer.from(secret)]);
    const parts = { pool, presence, keys, clock: new SystemClock(), logger: pino({ level: 'silent' }) };
    const peers = new Peers(parts, { host: '127.0.0.1', port: 0, advertisedHost: '127.0.0.1' });
    peers.respondWith((message) => Promise.resolve({ by: presence.instance, message }));
    await peers.start();
    apis.push({ peers, presence });
    return { peers, presence };
  }

  it('find and call each other', async () => {
    const [one, other] = [await api(), await api()];
    await until(() => one.peers.others().includes(other.presence.instance));
    expect(other.peers.others()).toStrictEqual([one.presence.instance]);
    expect(await one.peers.call(other.presence.instance, { text: 'ä' })).toStrictEqual({
      by: other.presence.instance,
      message: { text: 'ä' },
    });
  });

  it('do not execute the calls of a program that lacks their master key', async () => {
    const [stranger, other] = [await api('another secret'), await api()];
    await until(() => stranger.peers.others().includes(other.presence.instance));
    await expect(stranger.peers.call(other.presence.instance, {})).rejects.toThrow('status 404');
    expect(stranger.peers.others()).toStrictEqual([]);
  });

  it('do not count one that has left or whose process is gone', async () => {
    const [one, left, gone] = [await api(), await api(), await api()];
    await until(() => one.peers.others().length === 2);
    await left.peers.leave();
    await expect(one.peers.call(left.presence.instance, {})).rejects.toThrow('status 503');
    await gone.presence.stop();
    await until(() => one.peers.others().length === 0);
  });
});
