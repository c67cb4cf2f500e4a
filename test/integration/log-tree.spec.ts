import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { logLeaf } from '../../src/contexts/evidence/domain/log-leaf.js';
import { isIncluded, leafHash } from '../../src/contexts/evidence/domain/merkle.js';
import { LOG_TREE, readTiles } from '../../src/contexts/evidence/tree/log-tile-table.js';
import { LogTree } from '../../src/contexts/evidence/tree/log-tree.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { readCheckpoints } from '../../src/platform/projecting/checkpoints.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { startStack, type Stack } from '../support/stack.js';
import { treeOf } from '../support/unit/tree.js';

const EVENTS = 700;

describe('the tree of the log', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;
  const { signal } = new AbortController();

  beforeAll(async () => {
    stack = await startStack();
    checkpoints = startCheckpoints(stack);
    await append('stranger-1', EVENTS);
  });
  afterAll(async () => {
    await stack.close();
  });

  async function append(stream: string, count: number, expected = NO_EVENTS): Promise<void> {
    const metadata = { $correlationId: 'test', schema_version: 1 };
    const events = Array.from({ length: count }, (_, at) => ({
      id: randomUUID(),
      type: 'Happened',
      data: { at, name: 'Adé\u2028' },
      metadata,
    }));
    await stack.eventStore.append(stream, events, expected);
  }

  /** The leaves of the log, from what the service appended rather than from the bytes that it read. */
  async function leaves(): Promise<Buffer[]> {
    const events = [];
    for (let after: bigint | undefined; ;) {
      const page = await stack.eventStore.allPage({ after, maxCount: 500 });
      events.push(...page.events);
      if (page.next === undefined) break;
      after = page.next;
    }
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
    return events.map((event) => leafHash(logLeaf({ ...event, data: bytes(event.data), metadata: bytes(event.metadata) })));
  }

  const stored = async () => {
    const { rows } = await stack.pool.query<{ level: number; index: number; hashes: Buffer; first_position: string | null }>(
      'select level, index, hashes, first_position from ops.log_tile order by level, index',
    );
    return rows;
  };
  const expected = async () =>
    treeOf(await leaves()).tiles.map(({ level, index, hashes }) => ({ level, index, hashes: Buffer.concat(hashes) }));
  const withoutPositions = async () => (await stored()).map(({ level, index, hashes }) => ({ level, index, hashes }));

  it('has a leaf for each event in the order of the log, and its tiles are stored with the position of the last', async () => {
    await checkpoints.maker.follow(signal);
    expect(await withoutPositions()).toStrictEqual(await expected());
    const { position, reaction } = (await readCheckpoints(stack.pool)).get(LOG_TREE) ?? {};
    expect([position, reaction]).toStrictEqual([String(await stack.eventStore.headPosition()), true]);
    expect((await stored()).filter(({ first_position }) => first_position !== null)).toHaveLength(3);
  });

  it('grows with the log, whichever process writes it', async () => {
    const others = [checkpoints.fresh().maker, checkpoints.fresh().maker];
    for (const [index, maker] of [...others, ...others].entries()) {
      await append(`stranger-${index + 2}`, 150);
      await maker.follow(signal);
      expect(await withoutPositions()).toStrictEqual(await expected());
    }
    await Promise.all([append('stranger-9', 40), ...others.map((maker) => maker.follow(signal))]);
    await checkpoints.maker.follow(signal);
    expect(await withoutPositions()).toStrictEqual(await expected());
  });

  it('is compared with the log by each process that begins to keep it, which replaces what differs', async () => {
    const before = await stored();
    await stack.pool.query('update ops.log_tile set hashes = set_byte(hashes, 6, get_byte(hashes, 6) # 1) where level = 0 and index = 1');
    await stack.pool.query("update ops.log_tile set hashes = '\\x', first_position = 5 where level = 0 and index = 5");
    await stack.pool.query('delete from ops.log_tile where level = 1');
    await stack.pool.query("insert into ops.log_tile (level, index, hashes) values (0, 77, '\\x00'), (3, 0, '\\x00')");
    const { maker } = checkpoints.fresh();
    const repaired: number[] = [];
    maker.onRepaired = (tiles) => repaired.push(tiles);
    await maker.follow(signal);
    expect(repaired.reduce((sum, tiles) => sum + tiles, 0)).toBe(5);
    expect(await stored()).toStrictEqual(before);
  });

  it('proves every event that a checkpoint covers', async () => {
    const made = await checkpoints.maker.make('test');
    expect(made.tree_size).toBeGreaterThan(EVENTS);
    for (const revision of [0n, 1n, 255n, 256n, 511n, BigInt(EVENTS - 1)]) {
      const proof = await checkpoints.proofs.inclusion('stranger-1', revision);
      expect(proof).toMatchObject({ index: Number(revision), tree_size: made.tree_size });
      expect(isIncluded(leafHash(proof.leaf), proof, Buffer.from(made.root, 'base64'))).toBe(true);
    }
    await expect(checkpoints.proofs.inclusion('stranger-1', BigInt(EVENTS))).rejects.toMatchObject({ code: 'checkpoint_unknown' });
    await append('stranger-late', 1);
    await checkpoints.maker.follow(signal);
    await expect(checkpoints.proofs.inclusion('stranger-late', undefined)).rejects.toMatchObject({ code: 'checkpoint_unknown' });
  });

  it('gives no proof that does not lead to the root of the checkpoint', async () => {
    await stack.pool.query('update ops.log_tile set hashes = set_byte(hashes, 6, get_byte(hashes, 6) # 1) where level = 0 and index = 0');
    await expect(checkpoints.proofs.inclusion('stranger-1', 1n)).rejects.toThrow('The tiles of the tree of the log are behind');
    // Nor does it get a false root signed.
    const made = await checkpoints.fresh().maker.make('test');
    expect(await checkpoints.verify({ note: made.note })).toMatchObject({ ok: true });
  });

  it('serves tiles as far as a checkpoint covers them', async () => {
    const { tree_size = 0 } = (await checkpoints.log.last()) ?? {};
    const [edge, width] = [Math.floor(tree_size / 256), tree_size % 256];
    const [tile] = await readTiles(stack.pool, [{ level: 0, index: edge }]);
    const bytes = Buffer.concat(tile?.hashes ?? []);
    expect(await checkpoints.proofs.tile({ level: 0, index: edge, width })).toStrictEqual(bytes.subarray(0, width * 32));
    expect(await checkpoints.proofs.tile({ level: 0, index: edge, width: 1 })).toStrictEqual(bytes.subarray(0, 32));
    expect(await checkpoints.proofs.tile({ level: 0, index: edge, width: width + 1 })).toBeUndefined();
    expect(await checkpoints.proofs.tile({ level: 2, index: 0, width: 1 })).toBeUndefined();
  });

  it('stops at a number of leaves, and goes on from there', async () => {
    const all = await leaves();
    const end = (await stack.eventStore.headPosition()) ?? -1n;
    const tree = new LogTree(stack.eventStore);
    for (const size of [1, 255, 256, 300]) {
      await tree.grow(end, { signal, maxSize: size });
      expect(tree.root).toBe(treeOf(all.slice(0, size)).root.toString('base64'));
    }
    const copy = tree.copy();
    await copy.grow(end, { signal });
    expect([tree.size, copy.size, copy.root]).toStrictEqual([300, all.length, treeOf(all).root.toString('base64')]);
  });
});
