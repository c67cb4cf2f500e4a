import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../projections/index.js';
import { checkCheckpoints } from '../../src/operations/doctor/check-checkpoints.js';
import { StoreState } from '../../src/operations/metrics/store-state.js';
import { StoreStateMetrics } from '../../src/operations/metrics/store-state-metrics.js';
import { type Checkpoint } from '../../src/contexts/evidence/checkpoints/checkpoint-log.js';
import { PAGE_LEAVES } from '../../src/contexts/evidence/domain/events.js';
import { isIncluded, leafHash } from '../../src/contexts/evidence/domain/merkle.js';
import { openNote, parseVerifierKey } from '../../src/contexts/evidence/domain/signed-note.js';
import { leafOf } from '../../src/contexts/evidence/domain/tree-head.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { startStack, type Stack } from '../support/stack.js';

const DAY_MS = 86_400_000;

class SetClock extends SystemClock {
  at = new Date(Date.now() - 3 * DAY_MS);

  override now(): Date {
    return this.at;
  }
}

describe('a checkpoint', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;
  let projector: ReturnType<Stack['project']>;
  const clock = new SetClock();

  beforeAll(async () => {
    stack = await startStack();
    projector = stack.project(projections);
    await projector.prepared;
    checkpoints = await startCheckpoints(stack, clock);
  });
  afterAll(async () => {
    await checkpoints.close();
    await stack.close();
  });

  const provenLeaf = async (checkpoint: Checkpoint, partnerId: string): Promise<string | undefined> => {
    const proof = await checkpoints.log.proof(checkpoint, partnerId);
    if (!proof) return undefined;
    const leaf = leafOf(proof.leaf);
    return isIncluded(leafHash(leaf), proof, Buffer.from(checkpoint.root, 'base64')) ? leaf : 'not included';
  };

  it('of no wallets has the root of an empty tree', async () => {
    const made = await checkpoints.maker.make('test');
    expect(made).toMatchObject({ number: 1, tree_size: 0, root: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' });
    expect(await checkpoints.log.proof(made, 'nobody')).toBeUndefined();
    expect(await checkpoints.verify()).toMatchObject({ ok: true, number: 1, wallets: 0 });
  });

  it('that is overdue is shown by a metric and by the doctor', async () => {
    const metrics = new Metrics();
    await new StoreState(stack.pool, stack.eventStore, new StoreStateMetrics(metrics.registry)).refresh();
    const overdue = (await metrics.collect()).find(({ name }) => name === 'rupa_checkpoint_overdue_seconds')?.values as
      readonly { readonly value: number }[] | undefined;
    expect(overdue?.[0]?.value).toBeGreaterThan((2 * DAY_MS) / 1_000);
    const examined = (now: number) => checkCheckpoints(stack.pool, stack.eventStore, () => now);
    expect(await examined(Date.now())).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/^the daily one has been due for \d\d hours$/),
    });
    expect(await examined(clock.at.getTime())).toMatchObject({ status: 'ok', found: `the last one was made at ${clock.iso()}` });
    clock.at = new Date();
    expect(await checkpoints.maker.makeIfDue('service')).toMatchObject({ number: 2 });
    expect(await examined(Date.now())).toMatchObject({ status: 'ok' });
  });

  it('covers the last entry of every wallet that has one', async () => {
    const [one, two, empty] = [await checkpoints.wallet(100), await checkpoints.wallet(100, 200, 300), await checkpoints.wallet()];
    const made = await checkpoints.maker.make('test');
    expect(made).toMatchObject({ number: 3, tree_size: 2 });
    const hashOf = async (id: string) => (await stack.eventStore.lastEvent(`wallet-${id}`))?.metadata.hash ?? '';
    expect(await provenLeaf(made, one)).toBe(`live\n${one}\n0\n${await hashOf(one)}`);
    expect(await provenLeaf(made, two)).toBe(`live\n${two}\n2\n${await hashOf(two)}`);
    expect(await provenLeaf(made, empty)).toBeUndefined();
    expect(await checkpoints.verify({ note: made.note })).toMatchObject({ ok: true, number: 3, wallets: 2, faults: [] });
  });

  it('is made one after another when several are made at once', async () => {
    const before = (await checkpoints.log.last())?.number ?? 0;
    const made = await Promise.all([checkpoints.maker.make('a'), checkpoints.maker.make('b'), checkpoints.maker.make('c')]);
    expect(made.map(({ number }) => number).sort()).toStrictEqual([before + 1, before + 2, before + 3]);
    expect((await checkpoints.log.list(2, before + 3)).map(({ number }) => number)).toStrictEqual([before + 2, before + 1]);
  });

  it('is due once a day, and is never dated before the last one', async () => {
    expect(await checkpoints.maker.makeIfDue('service')).toBeUndefined();
    const last = await checkpoints.log.last();
    clock.at = new Date(Date.parse(last?.recorded_at ?? '') + DAY_MS);
    const made = await Promise.all([checkpoints.maker.makeIfDue('service'), checkpoints.maker.makeIfDue('service')]);
    expect(made.filter(Boolean)).toHaveLength(1);
    clock.at = new Date(clock.at.getTime() - 3_600_000);
    const later = await checkpoints.maker.make('test');
    expect(later.recorded_at).toBe(made.find(Boolean)?.recorded_at);
  });

  it('is signed with a new key after a rotation, and the former key stays published', async () => {
    const before = await checkpoints.maker.make('test');
    const rotated = await checkpoints.keys.rotate('test');
    const [first = '', second = ''] = await checkpoints.keys.verifierKeys();
    expect(second).toBe(rotated.verifierKey);
    const after = await checkpoints.maker.make('test');
    const opens = (note: string, key: string) =>
      openNote(
        note,
        [parseVerifierKey(key)].flatMap((parsed) => parsed ?? []),
      ) !== undefined;
    expect([opens(before.note, first), opens(before.note, second)]).toStrictEqual([true, false]);
    expect([opens(after.note, first), opens(after.note, second)]).toStrictEqual([false, true]);
    expect(await checkpoints.secrets.get('checkpoint-key/1/seed')).toBeUndefined();
    expect(await checkpoints.verify({ note: before.note })).toMatchObject({ ok: true });
    expect(await checkpoints.verify({ note: before.note, keys: [second] })).toMatchObject({
      ok: false,
      number: null,
      faults: [{ partner_id: null, message: 'None of the keys signed this text as a checkpoint.' }],
    });
  });

  it('is not made when the key store has lost the key', async () => {
    const { rows } = await stack.pool.query<{ name: string }>(
      "delete from key_store.secret where name like 'checkpoint-key/%' returning name",
    );
    expect(rows).toHaveLength(1);
    await expect(checkpoints.maker.make('test')).rejects.toThrow('The key store does not hold key 2');
    await checkpoints.keys.rotate('test');
    await expect(checkpoints.maker.make('test')).resolves.toBeDefined();
  });

  it('is refused while a read model that it needs is faulted', async () => {
    expect(await checkpoints.caughtUp()).toBe(true);
    await projector.stop();
    await stack.pool.query("update ops.checkpoint set fault = 'x', fault_position = 1 where projection = 'wallet_entry'");
    await expect(checkpoints.maker.make('test')).rejects.toThrow('The read model wallet_entry is faulted.');
    await stack.pool.query("update ops.checkpoint set fault = null, fault_position = null where projection = 'wallet_entry'");
    projector = stack.project(projections);
    await projector.prepared;
  });

  it('is refused when a wallet no longer contains the head that the last one covers', async () => {
    const changed = await checkpoints.wallet(100);
    const last = await checkpoints.maker.make('test');
    const before = await stack.pool.query("update read.wallet_entry set hash = 'x' where partner_id = $1 returning hash", [changed]);
    expect(before.rowCount).toBe(1);
    await expect(checkpoints.maker.make('test')).rejects.toMatchObject({
      code: 'checkpoint_contradicted',
      facts: { partner_id: changed, revision: 0, number: last.number },
    });
    expect((await checkpoints.log.last())?.number).toBe(last.number);
    await stack.pool.query('delete from read.wallet_entry where partner_id = $1', [changed]);
    await expect(checkpoints.maker.make('test')).rejects.toMatchObject({ code: 'checkpoint_contradicted' });
  });
});

describe('a checkpoint of many wallets', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;
  const WALLETS = 5 * PAGE_LEAVES + 3;

  beforeAll(async () => {
    stack = await startStack();
    await stack.project(projections).prepared;
    checkpoints = await startCheckpoints(stack);
    await stack.pool.query(
      `insert into read.partner (partner_id, company_name, account_type, mode, status, optional_sections, ip_allow_list, registered_at)
       select md5(n::text)::uuid::text, 'Test', 'bank', 'live', 'active', '[]', '[]', now() from generate_series(1, $1::int) n`,
      [WALLETS],
    );
    await stack.pool.query(
      `insert into read.wallet_entry (partner_id, revision, type, recorded_at, amount_kobo, balance_after_kobo, hash)
       select md5(n::text)::uuid::text, 0, 'WalletCredited', now(), 1, 1, encode(sha256(n::text::bytea), 'hex') from generate_series(1, $1::int) n`,
      [WALLETS],
    );
  });
  afterAll(async () => {
    await checkpoints.close();
    await stack.close();
  });

  it('proves each of them, also those at the ends of pages', async () => {
    const made = await checkpoints.maker.make('test');
    expect(made.tree_size).toBe(WALLETS);
    const { rows } = await stack.pool.query<{ partner_id: string }>('select partner_id from read.partner order by partner_id collate "C"');
    const root = Buffer.from(made.root, 'base64');
    for (const at of [0, 1, PAGE_LEAVES - 1, PAGE_LEAVES, 3 * PAGE_LEAVES + 7, WALLETS - 2, WALLETS - 1]) {
      const proof = await checkpoints.log.proof(made, rows[at]?.partner_id ?? '');
      expect(proof).toMatchObject({ leaf_index: at, tree_size: WALLETS, leaf: { partner_id: rows[at]?.partner_id } });
      expect(proof && isIncluded(leafHash(leafOf(proof.leaf)), proof, root)).toBe(true);
    }
    for (const unknown of ['', '~', '7f']) expect(await checkpoints.log.proof(made, unknown)).toBeUndefined();
    expect((await checkpoints.maker.make('test')).root).toBe(made.root);
  });
});
