import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { CheckpointRejection } from '../../src/contexts/evidence/domain/make-checkpoint.js';
import {
  CHECKPOINT_CHANNELS,
  CheckpointRequests,
  RequestedCheckpoints,
} from '../../src/contexts/evidence/checkpoints/requested-checkpoints.js';
import { LOCKS } from '../../src/platform/database/instances/locks.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { type Stack, startStack } from '../support/stack.js';

const [WANTED = '', MADE = ''] = CHECKPOINT_CHANNELS;
const DAY_MS = 86_400_000;

describe('a checkpoint that is asked for', () => {
  let stack: Stack;
  let keeper: CheckpointStack;
  let asking: CheckpointStack;
  let requests: CheckpointRequests;
  let requested: RequestedCheckpoints;
  let leader: pg.Client;
  const listeners: ReadModelListener[] = [];

  beforeAll(async () => {
    stack = await startStack();
    keeper = startCheckpoints(stack);
    const [ofKeeper, ofApi] = await Promise.all([startListener(), startListener()]);
    requests = new CheckpointRequests(stack.pool, ofKeeper);
    asking = startCheckpoints(stack);
    requested = new RequestedCheckpoints(stack.pool, ofApi, asking.log, asking.maker);
    leader = new pg.Client({ connectionString: stack.databaseUrl });
    await leader.connect();
  });
  afterEach(async () => {
    await leader.query('select pg_advisory_unlock_all()');
  });
  afterAll(async () => {
    await leader.end();
    await Promise.all(listeners.map((listener) => listener.stop()));
    await stack.close();
  });

  async function startListener(): Promise<ReadModelListener> {
    const listener = new ReadModelListener(stack.databaseUrl, stack.pool, CHECKPOINT_CHANNELS);
    listeners.push(listener);
    await listener.start();
    return listener;
  }

  const append = async (): Promise<void> => {
    const metadata = { $correlationId: 'test', schema_version: 1 };
    await stack.eventStore.append(`stranger-${randomUUID()}`, [{ id: randomUUID(), type: 'Happened', data: {}, metadata }], NO_EVENTS);
  };

  /** Keeps the tree while `work` runs, as the process does that holds the lock. A wait ends early only because a request has arrived. */
  async function whileKept<T>(make: () => ReturnType<CheckpointStack['maker']['make']>, work: () => Promise<T>): Promise<T> {
    await leader.query('select pg_advisory_lock($1)', [LOCKS.checkpoints]);
    const done = new AbortController();
    const keeping = requests.during(async () => {
      while (!done.signal.aborted) {
        await requests.answer(make).catch(() => undefined);
        await requests.wait(DAY_MS, done.signal);
      }
    });
    try {
      return await work();
    } finally {
      done.abort();
      await keeping;
    }
  }

  const making = () => keeper.maker.make('service');

  it('is made by the process that keeps the tree, without reading the log in this one', async () => {
    await append();
    const made = await whileKept(making, () => requested.make('admin'));
    expect(made).toMatchObject({ number: 1, actor: 'service', isNew: true });
    expect(asking.maker.treeSize).toBe(0);
  });

  it('is the newest one where nothing was appended since', async () => {
    expect(await whileKept(making, () => requested.make('admin'))).toMatchObject({ number: 1, isNew: false });
  });

  it('covers what was appended before the call, for each of many callers', async () => {
    const ask = async (): Promise<{ before: number; tree_size: number }> => {
      await append();
      const before = (await stack.eventStore.allPage()).events.length;
      return { before, tree_size: (await requested.make('admin')).tree_size };
    };
    const made = await whileKept(making, () => Promise.all(Array.from({ length: 10 }, ask)));
    for (const { before, tree_size } of made) expect(tree_size).toBeGreaterThanOrEqual(before);
    expect(asking.maker.treeSize).toBe(0);
  });

  it('is made by this process if no other keeps the tree', async () => {
    await append();
    expect(await requested.make('admin')).toMatchObject({ actor: 'admin', isNew: true });
  });

  it('is made by this process, or refused with the reason, if the other cannot make one', async () => {
    await append();
    const failing = () => Promise.reject(new CheckpointRejection('checkpoint_contradicted', { number: 1, tree_size: 1 }));
    expect(await whileKept(failing, () => requested.make('admin'))).toMatchObject({ actor: 'admin', isNew: true });
  });

  it.each(['', 'x', '999999 new', '-1 new', '1e3 new', '1 new', '1 known'])(
    'is not what somebody else announces: "%s"',
    async (announced) => {
      await append();
      const forger = new pg.Client({ connectionString: stack.databaseUrl });
      await forger.connect();
      forger.on('notification', ({ payload: id }) => void forger.query('select pg_notify($1, $2)', [MADE, `${id} ${announced}`]));
      await forger.query(`listen ${WANTED}`);
      await leader.query('select pg_advisory_lock($1)', [LOCKS.checkpoints]);
      expect(await requested.make('admin')).toMatchObject({ actor: 'admin', isNew: true });
      await forger.end();
    },
  );
});
