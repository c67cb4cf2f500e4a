import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import pino from 'pino';
import { contributionProjection } from '../../projections/contribution/contribution.projection.js';
import { erasedFarmerProjection } from '../../projections/erased-farmer/erased-farmer.projection.js';
import { farmerProfileProjection } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { Eraser } from '../../src/contexts/farmers/erasing/eraser.js';
import { Erasures } from '../../src/contexts/farmers/erasing/erasures.js';
import { checkFarmersKeys } from '../../src/operations/doctor/check-stored-data.js';
import { type Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { DataKeyMissing, DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { FencedOff } from '../../src/platform/projecting/checkpoints.js';
import { ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { tablesOf } from '../../src/platform/projecting/projection.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { appenderOf } from '../support/event-appender.js';
import { ANY_STREAM, type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';

const at = '2026-11-21T10:00:00.000Z';
const PROJECTIONS = [farmerProfileProjection, contributionProjection, erasedFarmerProjection];
const farmer = { rupa_id: 'rp-1', recorded_at: at, actor: 'a' };
const registered: DomainEvent = { type: 'FarmerRegistered', data: { ...farmer, mode: 'live' } };
const section: DomainEvent = {
  type: 'FarmerSectionUpdated',
  data: { ...farmer, part: 'identity', data_as_of: at, content: { first_name: 'Aisha' } },
};
const erased: DomainEvent = { type: 'FarmerErased', data: farmer };
const reported: DomainEvent = {
  type: 'ContributionRecorded',
  data: {
    contribution_id: 1,
    partner_id: 'p0',
    account_type: 'bank',
    rupa_id: 'rp-1',
    event: 'loan_disbursed',
    currency: 'NGN',
    occurred_at: at,
    recorded_at: at,
    actor: 'a',
    amount_minor: 5,
    partner_reference: 'r',
    payload: null,
  },
};

describe('an erasure', () => {
  let stack: Stack;
  let running: { readonly stop: AbortController; readonly ended: Promise<unknown> }[] = [];

  beforeEach(async () => {
    stack = await startStack(ANY_STREAM);
  });
  afterEach(async () => {
    for (const { stop } of running) stop.abort();
    await Promise.all(running.map(({ ended }) => ended));
    running = [];
    await stack.close();
  });

  const newKeys = (): DataKeys => new DataKeys(stack.pool, MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
  const append = (stream: string, events: readonly DomainEvent[], codec: Codec = stack.codec): Promise<bigint> =>
    appenderOf({ ...stack, codec }).append(stream, ...events);
  const erase = (parts = stack.parts): Promise<unknown> => {
    const stop = new AbortController();
    const ended = new Eraser(parts, new Erasures(stack.pool, newKeys()), pino({ level: 'silent' }))
      .run(stop.signal)
      .catch((error: unknown) => error);
    running.push({ stop, ended });
    return ended;
  };
  const rows = async (text: string): Promise<Record<string, unknown>[]> => (await stack.pool.query<Record<string, unknown>>(text)).rows;
  const key = async (): Promise<unknown> => (await rows("select wrapped from key_store.data_key where rupa_id = 'rp-1'"))[0]?.wrapped;
  const storeResponse = async (): Promise<void> => {
    await stack.pool.query(
      `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, response)
       values ('p1', gen_random_uuid()::text, 'h', 'l', 'rp-1', gen_random_uuid(), now(), 'encrypted')`,
    );
  };
  const storedResponses = async (): Promise<number> => (await rows('select 1 from ops.stored_response')).length;
  const checkpointed = async (): Promise<boolean> =>
    (await rows("select 1 from ops.checkpoint where projection = 'erasures' and position is not null")).length === 1;

  it('is completed after a crash of the process that recorded it, once the read models have caught up', async () => {
    await append('farmer-rp-1', [registered, section]);
    await storeResponse();
    await append('farmer-rp-1', [erased]);
    await stack.project(PROJECTIONS).prepared;
    void erase();
    await until(checkpointed);
    expect(await key()).toBeNull();
    expect(await storedResponses()).toBe(0);
    expect(await rows('select erased, identity from read.farmer_profile')).toStrictEqual([{ erased: true, identity: null }]);
  });

  it('is repeated when an older key store, or one without the tombstone, is restored', async () => {
    await append('farmer-rp-1', [registered, section]);
    const wrapped = await key();
    await append('farmer-rp-1', [erased]);
    await stack.project(PROJECTIONS).prepared;
    void erase();
    await until(checkpointed);
    await stack.pool.query('update key_store.data_key set wrapped = $1, destroyed_at = null', [wrapped]);
    await storeResponse();
    void erase();
    await until(async () => (await key()) === null && (await storedResponses()) === 0);
    await stack.pool.query('delete from key_store.data_key');
    void erase();
    await until(async () => (await key()) === null);
  });

  it('that the log does not have destroys no key, however its row came into the table', async () => {
    await append('farmer-rp-1', [registered, section]);
    await append('farmer-rp-2', [{ ...registered, data: { ...farmer, rupa_id: 'rp-2', mode: 'live' } }]);
    await append('farmer-rp-2', [{ type: 'FarmerErased', data: { ...farmer, rupa_id: 'rp-2' } }]);
    const wrapped = await key();
    await stack.project(PROJECTIONS).prepared;
    const named: string[] = [];
    stack.parts.macs.onForged((table, row) => named.push(`${table} ${row}`));
    const plant = 'insert into read.erased_farmer (rupa_id, erased_at, position) select $1, now(), position + $2 from read.erased_farmer';
    await stack.pool.query(plant, ['rp-1', 0]);
    void erase();
    await until(checkpointed);
    await stack.pool.query('update read.erased_farmer set position = position + 1000 where rupa_id = $1', ['rp-1']);
    const before = named.length;
    await until(() => Promise.resolve(named.length > before + 1));
    expect(new Set(named)).toStrictEqual(new Set(['erased_farmer ["rp-1"]']));
    expect(await key()).toBe(wrapped);
    const [checkpoint] = await rows("select position from ops.checkpoint where projection = 'erasures'");
    expect(await rows("select position from read.erased_farmer where rupa_id = 'rp-2'")).toStrictEqual([checkpoint]);
  });

  it('is named by the doctor if the key store shows it and the log does not, as are farmers without a data key', async () => {
    const findings = async (): Promise<unknown[]> =>
      (await checkFarmersKeys(stack.pool, stack.eventStore)).map(({ status, todo = '' }) => [status, todo]);
    for (const rupa_id of ['rp-1', 'rp-2', 'rp-3'])
      await append(`farmer-${rupa_id}`, [{ type: 'FarmerRegistered', data: { ...farmer, rupa_id, mode: 'live' } }]);
    expect(await findings()).toStrictEqual([]);
    await stack.project(PROJECTIONS, { maxBatch: 1 }).prepared;
    expect(await findings()).toStrictEqual([['ok', '']]);
    // The log was copied before the erasure of the first farmer, and the key store before the registration of the second one.
    await newKeys().destroy(['rp-1']);
    await stack.pool.query("delete from key_store.data_key where rupa_id = 'rp-2'");
    expect(await findings()).toStrictEqual([
      ['failure', expect.stringMatching(/run: rupa farmers erase rp-1\. If nobody erased the farmer, .* restore this row/)],
      ['failure', expect.stringContaining('Restore a newer key store')],
    ]);
    await append('farmer-rp-1', [erased]);
    // At once, although the read model may not show the erasure yet.
    expect(await findings()).toHaveLength(1);
    await until(async () => (await rows('select 1 from read.farmer_profile where erased')).length === 1);
    expect(await findings()).toHaveLength(1);
  });

  it('is executed by one process at a time', async () => {
    await append('farmer-rp-1', [registered]);
    await stack.project(PROJECTIONS).prepared;
    // The late process has read its checkpoint when it asks for what comes after it.
    const [asked, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const query = async (text: string, after?: unknown[]): Promise<unknown> => {
      if (after) {
        asked.resolve(undefined);
        await released.promise;
      }
      return await stack.pool.query(text, after);
    };
    const late = erase({
      ...stack.parts,
      pool: { options: stack.pool.options, query, connect: () => stack.pool.connect() } as unknown as Pool,
    });
    await asked.promise;
    void erase();
    await append('farmer-rp-1', [erased]);
    await until(checkpointed);
    released.resolve(undefined);
    expect(await late).toBeInstanceOf(FencedOff);
  });

  it('leaves nothing of a report that was in progress, in live and in rebuilt read models', async () => {
    const stale = stack.freshCodec();
    await append('farmer-rp-1', [registered, section]);
    await append('contribution-0', [{ ...reported, data: { ...reported.data, contribution_id: 2 } }], stale);
    await append('farmer-rp-1', [erased]);
    await append('contribution-1', [reported], stale);
    const { prepared } = stack.project(PROJECTIONS, { maxBatch: 1 });
    await prepared;
    await until(async () => (await rows('select 1 from read.contribution')).length === 2);
    await until(async () => (await rows('select 1 from read.erased_farmer')).length === 1);
    const nothing = { amount_minor: null, partner_reference: null };
    expect(await rows('select amount_minor, partner_reference from read.contribution')).toStrictEqual([nothing, nothing]);
    const outcome = await verify(stack.parts, PROJECTIONS, 'read');
    expect(outcome.map(({ projection, differing }) => [projection, differing])).toStrictEqual(
      tablesOf(PROJECTIONS).map(({ name }) => [name, 0]),
    );
  });

  it('removes the data key from the memory of every process', async () => {
    await append('farmer-rp-1', [registered]);
    const [here, there] = [newKeys(), newKeys()];
    const listener = new ReadModelListener(stack.databaseUrl, stack.pool);
    listener.onKeyDestroyed((rupaId) => {
      there.forget(rupaId);
    });
    await listener.start();
    const encrypted = (await there.load(['rp-1'])).get('rp-1')?.encrypt('text', 'b') ?? '';
    await here.destroy(['rp-1']);
    await until(async () => (await there.load(['rp-1'])).get('rp-1')?.decrypt(encrypted, 'b') === undefined);
    await listener.stop();
  });

  it('is in force in a process that hears no notifications', async () => {
    await append('farmer-rp-1', [registered]);
    const [here, deaf] = [newKeys(), newKeys()];
    const listener = { live: true };
    deaf.useCacheWhileLive(listener);
    const encrypted = (await deaf.load(['rp-1'])).get('rp-1')?.encrypt('text', 'b') ?? '';
    listener.live = false;
    await here.destroy(['rp-1']);
    expect((await deaf.load(['rp-1'])).get('rp-1')?.decrypt(encrypted, 'b')).toBeUndefined();
  });

  it('is not assumed when a data key is missing without a tombstone: reading the log stops', async () => {
    await append('farmer-rp-1', [registered, section]);
    await stack.pool.query('delete from key_store.data_key');
    const parts = { ...stack.parts, codec: stack.freshCodec() };
    const outcome = verify(parts, PROJECTIONS, 'read').catch((error: unknown) => error);
    expect(await outcome).toBeInstanceOf(DataKeyMissing);
    expect(await rows('select 1 from key_store.data_key')).toStrictEqual([]);
  });
});
