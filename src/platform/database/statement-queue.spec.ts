import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import DataLoader from 'dataloader';
import { StatementQueue } from './statement-queue.js';

describe('a statement queue', () => {
  let running: { readonly keys: readonly number[]; readonly end: () => void; readonly fail: () => void }[];
  let loader: DataLoader<number, number>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    running = [];
    const queue = new StatementQueue();
    const read = (keys: readonly number[]) =>
      queue.run(async () => {
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
        return keys;
      });
    loader = new DataLoader(read, { cache: false, maxBatchSize: 3, batchScheduleFn: queue.schedule });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };
  const keys = () => running.map((statement) => statement.keys);

  it('runs the keys that arrive during a statement together after it', async () => {
    const results = [loader.load(1)];
    await settled();
    results.push(loader.load(2));
    await settled();
    results.push(loader.load(3));
    await settled();
    expect(keys()).toStrictEqual([[1]]);
    running[0]?.end();
    await settled();
    expect(keys()).toStrictEqual([[1], [2, 3]]);
    running[1]?.end();
    expect(await Promise.all(results)).toStrictEqual([1, 2, 3]);
  });

  it('starts the next statement after one that failed', async () => {
    const failed = loader.load(1).catch((error: unknown) => error);
    await settled();
    const next = loader.load(2);
    running[0]?.fail();
    expect(await failed).toMatchObject({ message: 'gone' });
    await settled();
    running[1]?.end();
    expect(await next).toBe(2);
  });

  it('starts one more statement, and only one, when a statement is slow', async () => {
    void loader.load(1);
    await settled();
    void loader.load(2);
    await settled();
    jest.advanceTimersByTime(20);
    await settled();
    expect(keys()).toStrictEqual([[1], [2]]);
    void loader.load(3);
    await settled();
    running[0]?.end();
    await settled();
    expect(keys()).toStrictEqual([[1], [2]]);
    running[1]?.end();
    await settled();
    expect(keys()).toStrictEqual([[1], [2], [3]]);
  });

  it('makes a full batch wait for the running statement, too', async () => {
    void loader.load(0);
    await settled();
    for (const key of [1, 2, 3, 4]) void loader.load(key);
    await settled();
    expect(keys()).toStrictEqual([[0]]);
    running[0]?.end();
    await settled();
    expect(keys()).toStrictEqual([[0], [1, 2, 3]]);
  });
});
