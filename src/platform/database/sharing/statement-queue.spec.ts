import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StatementQueue } from './statement-queue.js';

describe('a statement queue', () => {
  let running: { readonly keys: readonly number[]; readonly end: () => void; readonly fail: () => void }[];
  let underWay: number;
  let queue: StatementQueue<number, number>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    running = [];
    underWay = 0;
    const read = async (keys: readonly number[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      running.push({
        keys,
        end: () => {
          resolve(undefined);
        },
        fail: () => {
          reject(new Error('gone'));
        },
      });
      await promise;
      return keys.map((key) => (key < 0 ? new Error(`no ${key}`) : key));
    };
    queue = new StatementQueue(read, { maxKeys: 3, underWay: () => underWay });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };
  const load = async (...keys: readonly number[]): Promise<void> => {
    for (const key of keys) void queue.load(key);
    await settled();
  };
  const keys = () => running.map((statement) => statement.keys);

  it('runs the keys that arrive during a statement together after it', async () => {
    const results = [queue.load(1)];
    await settled();
    results.push(queue.load(2));
    await settled();
    results.push(queue.load(3));
    await settled();
    expect(keys()).toStrictEqual([[1]]);
    running[0]?.end();
    await settled();
    expect(keys()).toStrictEqual([[1], [2, 3]]);
    running[1]?.end();
    expect(await Promise.all(results)).toStrictEqual([1, 2, 3]);
  });

  it('starts the next statement after one that failed', async () => {
    const failed = queue.load(1).catch((error: unknown) => error);
    await settled();
    const next = queue.load(2);
    running[0]?.fail();
    expect(await failed).toMatchObject({ message: 'gone' });
    await settled();
    running[1]?.end();
    expect(await next).toBe(2);
  });

  it('fails the calls for a key that has an error alone', async () => {
    const [wrong, right, many] = [queue.load(-1).catch((error: unknown) => error), queue.load(1), queue.loadMany([-1, 1])];
    await settled();
    for (const { end } of running) end();
    await settled();
    for (const { end } of running) end();
    expect(await wrong).toStrictEqual(new Error('no -1'));
    expect(await right).toBe(1);
    expect(await many).toStrictEqual([new Error('no -1'), 1]);
  });

  it('starts one more statement, and only one, when a statement is slow', async () => {
    await load(1);
    await load(2);
    jest.advanceTimersByTime(20);
    await settled();
    expect(keys()).toStrictEqual([[1], [2]]);
    await load(3);
    running[0]?.end();
    await settled();
    expect(keys()).toStrictEqual([[1], [2]]);
    running[1]?.end();
    await settled();
    expect(keys()).toStrictEqual([[1], [2], [3]]);
  });

  it('makes a full batch wait for the running statement, too', async () => {
    await load(0);
    await load(1, 2, 3, 4);
    expect(keys()).toStrictEqual([[0]]);
    running[0]?.end();
    await settled();
    expect(keys()).toStrictEqual([[0], [1, 2, 3]]);
  });

  describe('while many calls are under way', () => {
    beforeEach(() => {
      underWay = 6;
    });

    it('waits for further keys, and starts when it has those of a third of the calls', async () => {
      await load(1);
      expect(keys()).toStrictEqual([]);
      await load(2);
      expect(keys()).toStrictEqual([[1, 2]]);
    });

    it('starts with the keys that it has after four milliseconds', async () => {
      await load(1);
      jest.advanceTimersByTime(4);
      await settled();
      expect(keys()).toStrictEqual([[1]]);
    });

    it('waits after a statement with the keys that arrived meanwhile, too', async () => {
      await load(1, 2);
      await load(3);
      running[0]?.end();
      await settled();
      expect(keys()).toStrictEqual([[1, 2]]);
      await load(4);
      expect(keys()).toStrictEqual([
        [1, 2],
        [3, 4],
      ]);
    });

    it('does not wait for more keys than a statement may have', async () => {
      underWay = 1_000;
      await load(1, 2, 3);
      expect(keys()).toStrictEqual([[1, 2, 3]]);
    });

    it('starts a full batch when the next one begins', async () => {
      underWay = 12;
      await load(1, 2);
      await load(3, 4);
      expect(keys()).toStrictEqual([[1, 2, 3]]);
      running[0]?.end();
      await settled();
      jest.advanceTimersByTime(4);
      await settled();
      expect(keys()).toStrictEqual([[1, 2, 3], [4]]);
    });
  });

  it('does not wait while at most five calls are under way', async () => {
    for (underWay = 1; underWay <= 5; underWay += 1) {
      await load(underWay);
      running.at(-1)?.end();
      await settled();
    }
    expect(keys()).toStrictEqual([[1], [2], [3], [4], [5]]);
  });
});
