import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../projections/index.js';
import { FARMER_STREAMS } from '../../src/contexts/farmers/domain/farmer.js';
import { checkUnusableEvents } from '../../src/operations/doctor/check-stored-data.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { Projector } from '../../src/platform/projecting/applying/projector.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { prepareReadModels } from '../../src/platform/projecting/applying/start-up.js';
import { unusableEvents, usableAgain } from '../../src/platform/unusable-events/unusable-table.js';
import { rowMacs } from '../support/row-macs.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';

const at = '2026-11-21T10:00:00.000Z';

describe('the projector', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(async () => {
    await stack.close();
  });

  async function caughtUp(): Promise<void> {
    const head = await stack.eventStore.headPosition();
    await until(async () => {
      const { rows } = await stack.pool.query<{ position: string | null }>('select position from ops.checkpoint');
      return rows.length > 0 && rows.every(({ position }) => position === head?.toString());
    });
  }

  it('goes on without the events of a farmer whose data key alone is missing or damaged, until it is restored', async () => {
    const farmers = new StreamWriter(stack.eventStore, stack.codec, FARMER_STREAMS);
    const rows = async (): Promise<unknown[]> =>
      (await stack.pool.query<{ rupa_id: string }>('select rupa_id from read.farmer_profile order by rupa_id')).rows.map(
        ({ rupa_id }) => rupa_id,
      );
    for (const rupa_id of ['rp-1', 'rp-2', 'rp-3', 'rp-4'])
      await farmers.execute(rupa_id, { kind: 'put', rupa_id, mode: 'live', record: { identity: {} }, at, actor: 'test' });
    const { rows: kept } = await stack.pool.query('select * from key_store.data_key');
    await stack.pool.query("delete from key_store.data_key where rupa_id = 'rp-2'");
    await stack.pool.query("update key_store.data_key set wrapped = 'damaged' where rupa_id = 'rp-3'");
    const forgetful = { ...stack.parts, codec: stack.freshCodec() };
    await prepareReadModels(forgetful, projections, 'read');
    const projecting = new AbortController();
    const running = new Projector(stack.pool, stack.eventStore, forgetful.codec, rowMacs, {
      projections,
      schema: 'read',
      maxBatch: 10,
      directory: [],
      onFault: () => undefined,
    }).run(projecting.signal);
    await caughtUp();
    expect(await rows()).toStrictEqual(['rp-1', 'rp-4']);
    expect((await unusableEvents(stack.pool)).map(({ stream, reason }) => [stream, reason])).toStrictEqual([
      ['farmer-rp-2', expect.stringContaining('lacks the data key')],
      ['farmer-rp-3', 'a personal field cannot be decrypted'],
    ]);
    expect((await checkUnusableEvents(stack.pool)).map(({ todo }) => todo)).toStrictEqual([
      expect.stringMatching(/restore a key store .* Do not skip the event/),
      expect.stringContaining('rupa events skip'),
    ]);
    projecting.abort();
    await running;
    await stack.pool.query('delete from key_store.data_key');
    await stack.pool.query('insert into key_store.data_key select (json_populate_recordset(null::key_store.data_key, $1)).*', [
      JSON.stringify(kept),
    ]);
    const again = await usableAgain(stack.pool, stack.eventStore, stack.freshCodec());
    expect(again.map(({ stream }) => stream)).toStrictEqual(['farmer-rp-2', 'farmer-rp-3']);
    await rebuild({ ...stack.parts, codec: stack.freshCodec() }, projections, 'read');
    expect(await rows()).toStrictEqual(['rp-1', 'rp-2', 'rp-3', 'rp-4']);
  });
});
