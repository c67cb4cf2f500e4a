import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { LogIndex } from '../../src/contexts/evidence/tree/log-index.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { startStack, type Stack } from '../support/stack.js';

const FEW = 40;

describe('the index of an event of the log', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;
  let index: LogIndex;
  const { signal } = new AbortController();

  beforeAll(async () => {
    stack = await startStack();
    checkpoints = startCheckpoints(stack);
    index = new LogIndex(stack.eventStore);
  });
  afterAll(async () => {
    await stack.close();
  });

  async function append(count: number): Promise<void> {
    const metadata = { $correlationId: 'test', schema_version: 1 };
    const events = Array.from({ length: count }, () => ({ id: randomUUID(), type: 'Happened', data: {}, metadata }));
    await stack.eventStore.append(`stranger-${randomUUID()}`, events, NO_EVENTS);
  }
  const positions = async () => (await Array.fromAsync(logPages(stack.eventStore))).flat().map(({ position }) => position);

  /** Compares the index of some events with their places in the log. */
  async function expectIndexes(): Promise<void> {
    const all = await positions();
    for (const at of [0, 1, 255, 256, 257, all.length - FEW - 1, all.length - FEW, all.length - 1].filter(
      (each) => each >= 0 && each < all.length,
    ))
      expect([at, await index.at(stack.pool, all[at] ?? -1n)]).toStrictEqual([at, at]);
  }

  it('is unknown before the first event', async () => {
    expect(await index.at(stack.pool, -1n)).toBeNull();
  });

  it('is counted from the beginning of the log before there are tiles', async () => {
    await append(FEW);
    await expectIndexes();
  });

  it('is found in the tiles, and counted from their end where they are behind', async () => {
    await append(560);
    await checkpoints.maker.follow(signal);
    await expectIndexes();
    await append(FEW);
    await expectIndexes();
  });

  it('is unknown while the tiles are too far behind', async () => {
    for (let batch = 0; batch < 21; batch += 1) await append(500);
    const last = (await positions()).at(-1) ?? -1n;
    expect(await index.at(stack.pool, last)).toBeNull();
    await checkpoints.maker.follow(signal);
    await expectIndexes();
  });

  it('is unknown while the tiles are not those of the log', async () => {
    const [first = -1n] = await positions();
    await stack.pool.query('update ops.log_tile set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) where level = 0 and index = 0');
    expect(await index.at(stack.pool, first)).toBeNull();
    await stack.pool.query('update ops.log_tile set first_position = first_position + 7 where level = 0');
    expect(await index.at(stack.pool, first)).toBeNull();
    await checkpoints.fresh().maker.follow(signal);
    await expectIndexes();
  });
});
