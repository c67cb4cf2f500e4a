import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { projections } from '../../projections/index.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { FencedOff } from '../../src/platform/projecting/checkpoints.js';
import { type Projection } from '../../src/platform/projecting/projection.js';
import { Projector } from '../../src/platform/projecting/applying/projector.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { WANTED_CHANNEL, WantedPositions } from '../../src/platform/projecting/wanted-positions.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { FARMER_STREAMS } from '../../src/contexts/farmers/domain/farmer.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { rowMacs } from '../support/row-macs.js';
import { NOTHING_SEARCHED } from '../support/unit/searched-entries.js';

const at = '2026-11-21T10:00:00.000Z';

describe('the projector', () => {
  let stack: Stack;

  beforeEach(async () => {
    stack = await startStack();
  });
  afterEach(async () => {
    await stack.close();
  });

  function run(list: readonly Projection[]): ReturnType<Stack['project']> {
    return stack.project(list, { directory: ['partner'] });
  }

  async function register(company_name: string): Promise<string> {
    const partner_id = randomUUID();
    await new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS).execute(partner_id, {
      kind: 'register',
      partner_id,
      company_name,
      account_type: 'bank',
      mode: 'live',
      at,
      actor: 'test',
    });
    return partner_id;
  }

  const names = async (): Promise<string[]> => {
    const { rows } = await stack.pool.query<{ company_name: string }>('select company_name from read.partner order by company_name');
    return rows.map(({ company_name }) => company_name);
  };

  async function caughtUp(): Promise<void> {
    const head = await stack.eventStore.headPosition();
    await until(async () => {
      const { rows } = await stack.pool.query<{ position: string | null }>('select position from ops.checkpoint where fault is null');
      return rows.length > 0 && rows.every(({ position }) => position === head?.toString());
    });
  }

  it('catches up, follows, and resumes where it stopped', async () => {
    await register('A');
    const first = run([partnerProjection]);
    await caughtUp();
    expect(await names()).toStrictEqual(['A']);
    await register('B');
    await caughtUp();
    expect(await names()).toStrictEqual(['A', 'B']);
    await first.stop();
    await register('C');
    run([partnerProjection]);
    await caughtUp();
    expect(await names()).toStrictEqual(['A', 'B', 'C']);
  });

  it('writes many new rows in one batch, even if one of them already exists', async () => {
    await register('A');
    const first = run([partnerProjection]);
    await caughtUp();
    await first.stop();
    const ids = [];
    for (let n = 0; n < 50; n += 1) ids.push(await register(`B${n}`));
    await stack.pool.query(
      'insert into read.partner select (jsonb_populate_record(p, jsonb_build_object($1::text, $2::text))).* from read.partner p',
      ['partner_id', ids[7]],
    );
    run([partnerProjection]);
    await caughtUp();
    expect(await names()).toStrictEqual(['A', ...Array.from({ length: 50 }, (_, n) => `B${n}`)].sort());
  });

  it('creates and fills the table of every read model', async () => {
    const id = await register('A');
    const wallets = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
    await wallets.execute(id, {
      kind: 'credit',
      partner_id: id,
      amount_kobo: 1_000,
      reference: 'r',
      ...NOTHING_SEARCHED,
      at,
      actor: 'test',
    });
    await wallets.execute(id, {
      kind: 'charge',
      partner_id: id,
      lookups: [{ lookup_id: 'l1', rupa_id: 'rp-1', breakdown_kobo: { fee: 10 }, grants_consent: true }],
      source: 'loan',
      price_book_version: 1,
      key_id: 'k',
      at,
      actor: 'test',
    });
    await new StreamWriter(stack.eventStore, stack.codec, FARMER_STREAMS).execute('rp-1', {
      kind: 'put',
      rupa_id: 'rp-1',
      mode: 'live',
      record: { identity: { first_name: 'Aisha' } },
      at,
      actor: 'test',
    });
    run(projections);
    await caughtUp();
    const one = async (sql: string): Promise<unknown> => (await stack.pool.query<object>(sql)).rows;
    expect(await one('select revision, type, amount_kobo, balance_after_kobo from read.wallet_entry order by revision')).toStrictEqual([
      { revision: 0, type: 'WalletCredited', amount_kobo: 1_000, balance_after_kobo: 1_000 },
      { revision: 1, type: 'WalletDebited', amount_kobo: -10, balance_after_kobo: 990 },
      { revision: 2, type: 'ConsentGranted', amount_kobo: 0, balance_after_kobo: 990 },
    ]);
    expect(await one('select rupa_id, access_count, granted_revision from read.consent_roster')).toStrictEqual([
      { rupa_id: 'rp-1', access_count: 1, granted_revision: 1 },
    ]);
    expect(await one('select lookup_id, debited_at from read.open_charge')).toStrictEqual([{ lookup_id: 'l1', debited_at: at }]);
    expect(await one('select identity from read.farmer_profile')).toMatchObject([
      { identity: { first_name: 'Aisha', kyc_status: 'pending', data_as_of: at } },
    ]);
    expect(await one('select lookups from read.partner_usage')).toStrictEqual([{ lookups: 1 }]);
    const encrypted = await stack.eventStore.readStream('farmer-rp-1');
    expect(JSON.stringify(encrypted.map(({ data }) => data))).not.toContain('Aisha');
  });

  it('leaves room on the pages of tables whose rows are rewritten often, also after a rebuild', async () => {
    const rewritten = projections.filter(({ fillFactor }) => fillFactor !== undefined);
    const options = async (): Promise<unknown> => {
      const { rows } = await stack.pool.query<{ relname: string; reloptions: string[] }>(
        `select relname, reloptions from pg_class where relnamespace = 'read'::regnamespace and relkind = 'r' and reloptions is not null order by relname`,
      );
      return rows;
    };
    const expected = rewritten
      .map(({ name, fillFactor }) => ({ relname: name, reloptions: [`fillfactor=${fillFactor ?? 0}`] }))
      .sort((a, b) => (a.relname < b.relname ? -1 : 1));
    await register('A');
    run(rewritten);
    await caughtUp();
    expect([expected.length > 0, await options()]).toStrictEqual([true, expected]);
    await rebuild(stack.parts, rewritten, 'read');
    expect(await options()).toStrictEqual(expected);
  });

  it('steps down without writing anything when another projector has moved a checkpoint', async () => {
    await register('A');
    const [one, other] = [run([partnerProjection]), run([partnerProjection])];
    await caughtUp();
    let ended: unknown;
    void Promise.race([one.ended, other.ended]).then((error) => {
      ended = error;
    });
    let registered = 1;
    // Both projectors see the same events once both follow the log; the second one to write finds the checkpoint moved.
    const stopped = await until(async () => {
      await register(`B${registered}`);
      registered += 1;
      return ended instanceof Error && ended;
    });
    expect(stopped).toBeInstanceOf(FencedOff);
    await caughtUp();
    expect(await names()).toHaveLength(registered);
  });

  it('refuses read models that are ahead of the log', async () => {
    await register('A');
    const running = run([partnerProjection]);
    await caughtUp();
    await running.stop();
    await stack.pool.query('update ops.checkpoint set position = 999999');
    expect(String(await run([partnerProjection]).ended)).toMatch(/do not belong together/);
  });

  it('stops if the key store was lost, both when it follows and when it rebuilds', async () => {
    const farmers = new StreamWriter(stack.eventStore, stack.codec, FARMER_STREAMS);
    const put = (rupa_id: string): Promise<unknown> =>
      farmers.execute(rupa_id, { kind: 'put', rupa_id, mode: 'live', record: { identity: {} }, at, actor: 'test' });
    await put('rp-1');
    const following = run(projections);
    await caughtUp();
    await following.stop();
    await put('rp-2');
    await stack.pool.query('delete from key_store.data_key');
    const forgetful = { ...stack.parts, codec: stack.freshCodec() };
    const projector = new Projector(stack.pool, stack.eventStore, forgetful.codec, rowMacs, {
      projections,
      schema: 'read',
      maxBatch: 10,
      directory: [],
      onFault: () => undefined,
    });
    await expect(projector.run(new AbortController().signal)).rejects.toThrow(/neither the data key of rp-2 nor its tombstone/);
    // A rebuild ends at the live checkpoint, so the checkpoint is removed.
    await stack.pool.query('delete from ops.checkpoint');
    await expect(rebuild(forgetful, projections, 'read')).rejects.toThrow(/neither the data key of rp-1 nor its tombstone/);
    // The registration holds no personal data, but the section does, and the projector does not skip it.
    expect((await stack.pool.query('select rupa_id from read.farmer_profile where identity is not null')).rows).toStrictEqual([
      { rupa_id: 'rp-1' },
    ]);
  });

  it('writes events that may wait for an hour as soon as a reader of another instance waits for them', async () => {
    const own = new ReadModelListener(stack.databaseUrl, stack.pool, [WANTED_CHANNEL]);
    const reader = new ReadModelListener(stack.databaseUrl, stack.pool);
    const wanted = new WantedPositions();
    own.onNotification(WANTED_CHANNEL, (payload) => {
      wanted.heard(payload);
    });
    await Promise.all([own.start(), reader.start()]);
    try {
      await stack.project([partnerProjection], { directory: ['partner'], batching: { window: () => 3_600_000, wanted } }).prepared;
      // The first event waits for nothing, because there was no batch before it.
      for (const name of ['A', 'B', 'C']) {
        await register(name);
        expect(await reader.waitFor((await stack.eventStore.headPosition()) ?? 0n, 60_000)).toBe(true);
      }
      expect(await names()).toStrictEqual(['A', 'B', 'C']);
    } finally {
      await Promise.all([own.stop(), reader.stop()]);
    }
  });

  it('notifies every instance of its position and of changed partners', async () => {
    const listener = new ReadModelListener(stack.databaseUrl, stack.pool);
    let changes = 0;
    listener.onDirectoryChanged(() => (changes += 1));
    await listener.start();
    try {
      await run([partnerProjection]).prepared;
      const before = changes;
      await register('A');
      const head = await stack.eventStore.headPosition();
      expect(await listener.waitFor(head ?? 0n, 60_000)).toBe(true);
      expect(await names()).toStrictEqual(['A']);
      await until(() => changes > before);
      expect(await listener.waitFor((head ?? 0n) + 1n, 50)).toBe(false);
    } finally {
      await listener.stop();
    }
  });
});
