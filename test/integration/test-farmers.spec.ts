import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { contributionProjection } from '../../projections/contribution/contribution.projection.js';
import { erasedFarmerProjection } from '../../projections/erased-farmer/erased-farmer.projection.js';
import { farmerProfileProjection } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { Eraser } from '../../src/contexts/farmers/erasing/eraser.js';
import { Erasures } from '../../src/contexts/farmers/erasing/erasures.js';
import { TEST_FARMERS } from '../../src/contexts/farmers/domain/test-farmers/definitions.js';
import { TestFarmers } from '../../src/contexts/farmers/test-farmers.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { ReadModels } from '../../src/platform/projecting/read-models.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';
import { FARMER_STREAMS } from '../../src/contexts/farmers/domain/farmer.js';
import { StreamWriter, Streams, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';

const PROJECTIONS = [partnerProjection, farmerProfileProjection, contributionProjection, erasedFarmerProjection];
const by = { at: '2026-11-21T10:00:00.000Z', actor: 'test' };
const IDS = TEST_FARMERS.map(({ rupa_id }) => rupa_id).sort();

describe('the test farmers', () => {
  let stack: Stack;
  let warnings: string[];
  const listeners: ReadModelListener[] = [];

  beforeEach(async () => {
    stack = await startStack();
    warnings = [];
    await stack.project(PROJECTIONS).prepared;
  });
  afterEach(async () => {
    for (const listener of listeners.splice(0)) await listener.stop();
    await stack.close();
  });

  /** Returns what one instance of the service has. */
  const instance = async (): Promise<TestFarmers> => {
    const { eventStore, pool } = stack;
    const listener = new ReadModelListener(stack.databaseUrl, pool);
    listeners.push(listener);
    await listener.start();
    const readModels = new ReadModels(eventStore, listener, pool);
    const logger = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
    const clock = new SystemClock();
    return new TestFarmers(new Streams(eventStore, stack.freshCodec(), clock), readModels, clock, pool, logger);
  };
  const rows = async (text: string): Promise<Record<string, unknown>[]> => (await stack.pool.query<Record<string, unknown>>(text)).rows;
  const found = async (): Promise<unknown[]> =>
    (await rows('select rupa_id from read.farmer_profile where test is not null order by rupa_id')).map(({ rupa_id }) => rupa_id);
  const typesOf = async (rupa_id: string): Promise<string[]> => {
    return (await stack.eventStore.readStream(`farmer-${rupa_id}`)).map(({ type }) => type);
  };
  const registerPartner = async (mode: 'live' | 'sandbox'): Promise<void> => {
    const partner = { kind: 'register' as const, partner_id: mode, company_name: mode, account_type: 'bank' as const, mode };
    await new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS).execute(mode, { ...partner, ...by }, { mode });
    await until(async () => (await rows(`select from read.partner where mode = '${mode}'`)).length === 1);
  };
  const farmers = (): WriterOf<typeof FARMER_STREAMS> => new StreamWriter(stack.eventStore, stack.codec, FARMER_STREAMS);

  it('are registered once if several instances register them at the same time', async () => {
    const instances = [await instance(), await instance(), await instance()];
    await Promise.all(instances.flatMap((each) => [each.register(), each.register()]));
    expect(await found()).toStrictEqual(IDS);
    for (const rupa_id of IDS) {
      const types = await typesOf(rupa_id);
      expect(types.filter((type) => type !== 'FarmerSectionUpdated')).toStrictEqual(
        rupa_id === 'rp-test-erased'
          ? ['FarmerRegistered', 'TestFarmerDefined', 'FarmerErased']
          : ['FarmerRegistered', 'TestFarmerDefined'],
      );
    }
    expect(warnings).toStrictEqual([]);
    const outcome = await verify(stack.parts, PROJECTIONS, 'read');
    expect(outcome.map(({ differing }) => differing)).toStrictEqual([0, 0, 0, 0, 0]);
  });

  it('are registered at the start of a service that has sandbox partners, and only then', async () => {
    await registerPartner('live');
    const before = await stack.eventStore.headPosition();
    await (await instance()).registerIfOutdated();
    expect(await stack.eventStore.headPosition()).toBe(before);
    await registerPartner('sandbox');
    await (await instance()).registerIfOutdated();
    expect(await found()).toStrictEqual(IDS);
    const after = await stack.eventStore.headPosition();
    await (await instance()).registerIfOutdated();
    expect(await stack.eventStore.headPosition()).toBe(after);
  });

  it('replace older definitions at the start, and leave ordinary farmers with their ids alone', async () => {
    await registerPartner('sandbox');
    const [gold] = TEST_FARMERS;
    if (!gold) throw new Error('There is no definition.');
    const older = { ...gold, record: { phone_verified: false } };
    await farmers().execute(gold.rupa_id, {
      kind: 'define-test-farmer',
      rupa_id: gold.rupa_id,
      version: 0,
      definition: older,
      ...by,
    });
    // A farmer from before the ids were reserved: only then could it be registered.
    const ordinary = { rupa_id: 'rp-test-silver', recorded_at: by.at, actor: by.actor, mode: 'live' };
    const event = { id: crypto.randomUUID(), type: 'FarmerRegistered', data: ordinary };
    const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
    await stack.eventStore.append(
      'farmer-rp-test-silver',
      await stack.codec.encode('farmer-rp-test-silver', [{ ...event, metadata }]),
      -1n,
    );

    await (await instance()).registerIfOutdated();
    expect(await found()).toStrictEqual(IDS.filter((id) => id !== 'rp-test-silver'));
    expect(await typesOf('rp-test-silver')).toStrictEqual(['FarmerRegistered']);
    expect(warnings.map((line) => (JSON.parse(line) as { rupa_id: string }).rupa_id)).toStrictEqual(['rp-test-silver']);
    expect(await rows(`select phone_verified from read.farmer_profile where rupa_id = 'rp-test-gold'`)).toStrictEqual([
      { phone_verified: true },
    ]);
    const changed = { kind: 'put' as const, rupa_id: 'rp-test-silver', mode: undefined, record: { phone_verified: true }, ...by };
    expect((await farmers().execute('rp-test-silver', changed)).events).toHaveLength(1);
  });

  it('do not make the eraser rewrite tables', async () => {
    const stop = new AbortController();
    const erasures = new Erasures(stack.pool, new DataKeys(stack.pool, stack.masterKeys));
    const ended = new Eraser(stack.parts, erasures, pino({ level: 'silent' })).run(stop.signal).catch((error: unknown) => error);
    const files = () =>
      rows(`select pg_relation_filenode('read.farmer_profile') as profiles, pg_relation_filenode('key_store.data_key') as keys`);
    const before = await files();
    await (await instance()).register();
    const done = `select 1 from ops.checkpoint where projection = 'erasures' and position = (select max(position) from read.erased_farmer)`;
    await until(async () => (await rows(done)).length === 1);
    expect(await files()).toStrictEqual(before);
    expect(await rows(`select wrapped from key_store.data_key where rupa_id = 'rp-test-erased'`)).toStrictEqual([{ wrapped: null }]);
    stop.abort();
    await ended;
  });
});
