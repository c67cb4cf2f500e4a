import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type ProcessResult, run } from '../support/rupa.js';
import { openPatiently } from '../support/patient-log.js';

describe('npm run test:store', () => {
  let store: EventStoreProcess;
  let log: EventStore;

  const testStore = async (): Promise<ProcessResult> => await run(process.execPath, ['scripts/test-store.mjs', store.connectionString]);

  beforeAll(async () => {
    store = await startEventStoreProcess();
    log = openPatiently(store.connectionString);
  });
  afterAll(async () => {
    await log.close();
    await store.close();
  });

  it('runs the tests on an empty event store, and leaves nothing there that looks like an event of the ledger', async () => {
    const { code, out, err } = await testStore();
    expect([code, code === 0 ? '' : out + err]).toStrictEqual([0, '']);
    expect(out).toMatch(/^The event store reports the version \d/);
    const categories = new Set<string>();
    const types = new Set<string>();
    for await (const page of logPages(log))
      for (const { stream, type } of page) {
        categories.add(stream.split('-', 1)[0] ?? '');
        types.add(type);
      }
    expect([...categories]).toStrictEqual(['test_store']);
    expect([...types].filter((type) => type in eventCatalogue)).toStrictEqual([]);
  });

  it('refuses an event store that holds an event, names it, and appends nothing', async () => {
    const newest = await log.newestEvent();
    expect(await testStore()).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`the newest is ${newest?.stream}@${newest?.revision}), and what the tests append would stay in it.`),
    });
    expect((await log.newestEvent())?.position).toBe(newest?.position);
  });
});
