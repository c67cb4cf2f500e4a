import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type CheckpointParts } from '../../src/contexts/evidence/checkpoints/checkpoint-parts.js';
import { type EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { type Subscription } from '../../src/platform/event-sourcing/event-store-client/subscription.js';
import { type RawEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { startStack, type Stack } from '../support/stack.js';

const { signal } = new AbortController();
const noPause = () => Promise.resolve();

/** A process that reads the log, from which somebody may have removed an event. */
interface Reading {
  readonly parts: CheckpointParts;
  /** The positions after which it has read. */
  readonly after: (bigint | undefined)[];
  readonly repaired: number[];
  readonly eventStore: EventStore;
  lost: bigint | undefined;
}

describe('the tree of the log in a process that starts', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;

  beforeAll(async () => {
    stack = await startStack();
    checkpoints = startCheckpoints(stack);
    await append(700);
    await checkpoints.maker.make('test');
  });
  afterAll(async () => {
    await stack.close();
  });

  async function append(count = 1): Promise<void> {
    const metadata = { $correlationId: 'test', schema_version: 1 };
    const events = Array.from({ length: count }, (_, at) => ({ id: randomUUID(), type: 'Happened', data: { at }, metadata }));
    await stack.eventStore.append(`stranger-${randomUUID()}`, events, NO_EVENTS);
  }

  function startReading(): Reading {
    const eventStore = Object.create(stack.eventStore) as EventStore;
    const reading: Reading = { parts: checkpoints.fresh(eventStore), after: [], repaired: [], eventStore, lost: undefined };
    eventStore.subscribeRaw = async (after, ...rest) => {
      reading.after.push(after);
      return without(await stack.eventStore.subscribeRaw(after, ...rest), () => reading.lost);
    };
    reading.parts.maker.onRepaired = (tiles) => reading.repaired.push(tiles);
    return reading;
  }

  function without(subscription: Subscription<RawEvent>, lost: () => bigint | undefined): Subscription<RawEvent> {
    const take = (max?: number): RawEvent[] => subscription.take(max).filter(({ position }) => position !== lost());
    return new Proxy(subscription, {
      get: (target, name) => {
        const value: unknown = name === 'take' ? take : Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
  }

  /** Returns the position of the last event of so many. */
  async function positionOf(size: number): Promise<bigint> {
    const events = [];
    for (let after: bigint | undefined; events.length < size;) {
      const page = await stack.eventStore.allPage({ after, maxCount: 500 });
      events.push(...page.events);
      after = page.next;
    }
    return events[size - 1]?.position ?? -1n;
  }

  const tiles = async () => (await stack.pool.query('select * from ops.log_tile order by level, index')).rows as unknown[];

  /** Makes a checkpoint of exactly so many events. */
  async function checkpointOf(size: number): Promise<void> {
    const { tree_size = 0 } = (await checkpoints.log.last()) ?? {};
    await append(size - tree_size - 1);
    expect(await checkpoints.maker.make('test')).toMatchObject({ tree_size: size });
  }

  it.each([1_022, 1_280, 1_537])('begins with the tree of the last checkpoint, of %i events, and reads only what follows', async (size) => {
    await checkpointOf(size);
    await append(3);
    const { parts, after, repaired } = startReading();
    await parts.maker.follow(signal);
    expect(after).toStrictEqual([await positionOf(size)]);
    expect([repaired, parts.maker.treeSize]).toStrictEqual([[], size + 4]);
    const made = await parts.maker.make('test');
    expect(await checkpoints.verify({ note: made.note })).toMatchObject({ ok: true, tree_size: size + 4 });
    await parts.maker.follow(signal);
    const grown = await tiles();
    await stack.pool.query('delete from ops.log_tile');
    const whole = startReading();
    await whole.parts.maker.follow(signal);
    expect(whole.after[0]).toBeUndefined();
    expect(await tiles()).toStrictEqual(grown);
  });

  it.each([
    ['the hash of a tile', 'update ops.log_tile set hashes = set_byte(hashes, 6, get_byte(hashes, 6) # 1) where level = 1'],
    ['a tile', 'delete from ops.log_tile where level = 1'],
    [
      'where the last tile begins',
      `update ops.log_tile set first_position = (select first_position from ops.log_tile where level = 0 and index = 1)
       where level = 0 and index = (select max(index) from ops.log_tile where level = 0)`,
    ],
    [
      'where the last tile begins, to where no event is',
      'update ops.log_tile set first_position = 1 where level = 0 and index = (select max(index) from ops.log_tile where level = 0)',
    ],
    ['the note in the key store', "delete from key_store.secret where name = 'checkpoint-note/newest'"],
  ])('is computed from the whole log if somebody changes %s', async (_what, statement) => {
    await checkpoints.maker.make('test');
    const { rowCount } = await stack.pool.query(statement);
    expect(rowCount).toBe(1);
    const { parts, after } = startReading();
    await append();
    const made = await parts.maker.make('test');
    expect(after[0]).toBeUndefined();
    expect(await checkpoints.verify({ note: made.note })).toMatchObject({ ok: true });
    const again = startReading();
    await again.parts.maker.follow(signal);
    expect(again.after[0]).toBe(await positionOf(made.tree_size));
  });

  it('is compared with the whole log when that is read again, and tiles that differ are replaced', async () => {
    const { parts, repaired } = startReading();
    await parts.maker.follow(signal);
    const before = await tiles();
    await stack.pool.query('update ops.log_tile set hashes = set_byte(hashes, 6, get_byte(hashes, 6) # 1) where level = 0 and index = 0');
    await stack.pool.query('delete from ops.log_tile where level = 0 and index = 2');
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
      // The tree goes on meanwhile.
      await append();
      await parts.maker.follow(signal);
    };
    expect(await parts.maker.reread(signal, pause)).toBe(true);
    expect(pauses).toBeGreaterThan(1);
    expect(repaired.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect((await tiles()).slice(0, 5)).toStrictEqual(before.slice(0, 5));
  });

  it('is not compared with the log of a node that lags behind', async () => {
    const { parts, eventStore } = startReading();
    await parts.maker.follow(signal);
    const head = await stack.eventStore.headPosition();
    await append();
    await parts.maker.follow(signal);
    eventStore.headPosition = () => Promise.resolve(head);
    expect(await parts.maker.reread(signal, noPause)).toBeUndefined();
    eventStore.headPosition = () => stack.eventStore.headPosition();
    expect(await parts.maker.reread(signal, noPause)).toBe(true);
  });

  it('is signed no more once an event is missing that a checkpoint covers, whichever process is asked', async () => {
    const reading = startReading();
    const { maker } = reading.parts;
    await maker.follow(signal);
    const last = await maker.make('test');
    reading.lost = await positionOf(100);
    await append();
    // As long as the process has not read the log again, it cannot know.
    await expect(maker.make('test')).resolves.toMatchObject({ isNew: true });
    expect(await maker.reread(signal, noPause)).toBe(false);
    await maker.follow(signal);
    await append();
    const refused = { code: 'checkpoint_contradicted', facts: { number: last.number + 1 } };
    await expect(maker.make('test')).rejects.toMatchObject(refused);
    const other = startReading();
    other.lost = reading.lost;
    await expect(other.parts.maker.make('test')).rejects.toMatchObject(refused);
    // The event is back, from a backup for example.
    reading.lost = undefined;
    expect(await maker.reread(signal, noPause)).toBe(false);
    await maker.follow(signal);
    await expect(maker.make('test')).resolves.toMatchObject({ isNew: true });
    expect(await checkpoints.verify()).toMatchObject({ ok: true });
  });
});
