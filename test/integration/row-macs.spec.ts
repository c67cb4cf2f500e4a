import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { forgedRows, recordForgedRows, RowSweep } from '../../src/platform/projecting/forged-rows.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { authenticatedTables } from '../../src/platform/projecting/projection.js';
import { renewMacs, rowsUnderKey } from '../../src/platform/projecting/renew-macs.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';
import { MASTER_KEY } from '../support/row-macs.js';
import { type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';

const PROJECTIONS = [partnerProjection];
const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
const rotatedKeys = (): RowMacs => new RowMacs(MasterKeys.parse(`k2:${Buffer.alloc(32, 8).toString('base64')},${MASTER_KEY}`));

describe('the MACs of a read model', () => {
  let stack: Stack;
  const partners = Array.from({ length: 3 }, () => randomUUID());
  const [edited = '', other = ''] = partners;

  const append = async (partner_id: string, type: string, revision: bigint | undefined, more: object = {}): Promise<void> => {
    const data = { partner_id, recorded_at: '2026-01-01T00:00:00.000Z', actor: 'admin', ...more };
    const appended = await stack.eventStore.append(
      `partner-${partner_id}`,
      [{ id: randomUUID(), type, data, metadata }],
      revision ?? NO_EVENTS,
    );
    const position = appended.kind === 'appended' ? appended.position : 0n;
    await until(async () => {
      const { rowCount } = await stack.pool.query("select from ops.checkpoint where projection = 'partner' and position >= $1", [
        position.toString(),
      ]);
      return rowCount === 1;
    });
  };
  const rows = async (): Promise<{ partner_id: string; mac: string; event_revision: string; status: string }[]> =>
    (await stack.pool.query('select * from read.partner order by partner_id')).rows as never;
  const genuine = async (macs: RowMacs): Promise<string[]> =>
    (await rows()).filter((row) => macs.holds(partnerProjection.table, row)).map(({ partner_id }) => partner_id);

  beforeAll(async () => {
    stack = await startStack();
    await stack.project(PROJECTIONS).prepared;
    for (const id of partners) await append(id, 'PartnerRegistered', undefined, { company_name: 'A', account_type: 'bank', mode: 'live' });
  });
  afterAll(async () => {
    await stack.close();
  });

  it('hold after each event, and say which was the last', async () => {
    await append(other, 'PartnerActivated', 0n);
    await append(other, 'LowBalanceThresholdChanged', 1n, { threshold_kobo: 100 });
    expect((await rows()).find(({ partner_id }) => partner_id === other)).toMatchObject({ status: 'active', event_revision: '2' });
    expect(await genuine(stack.parts.macs)).toStrictEqual(partners.toSorted());
  });

  it('keep their master key from being retired, also in a table that only a newer release knows', async () => {
    await stack.pool.query("create table ops.of_a_newer_release as select 'k1:' || n as mac from generate_series(1, 4) n");
    expect(await rowsUnderKey(stack.pool, 'k1')).toBe(7);
    expect(await rowsUnderKey(stack.pool, 'k1', ['of_a_newer_release'])).toBe(3);
    await stack.pool.query('drop table ops.of_a_newer_release');
  });

  it('are made again under the current master key, but for a row that somebody edited, which verifications name', async () => {
    await stack.pool.query("update read.partner set status = 'active' where partner_id = $1", [edited]);
    const rotated = rotatedKeys();
    expect(await rowsUnderKey(stack.pool, 'k1')).toBe(3);
    expect(await renewMacs(stack.pool, rotated, authenticatedTables(PROJECTIONS))).toBe(2);
    expect(await rowsUnderKey(stack.pool, 'k2')).toBe(2);
    expect(await genuine(rotated)).toStrictEqual(partners.filter((id) => id !== edited).toSorted());
    const [verified] = await verify({ ...stack.parts, macs: rotated }, PROJECTIONS, 'read');
    expect(verified?.differences).toStrictEqual([
      { key: JSON.stringify([edited]).replace(',', ', '), kind: 'different', columns: ['status', 'mac'] },
    ]);
  });

  it('never come to hold by an event on a row that somebody edited, which is named until a rebuild mends it', async () => {
    const macs = rotatedKeys();
    recordForgedRows(stack.pool, macs);
    await append(edited, 'IpAllowListChanged', 0n, { cidrs: [] });
    expect(await genuine(stack.parts.macs)).not.toContain(edited);
    const sweep = new RowSweep(stack.pool, macs, PROJECTIONS);
    await sweep.sweep();
    const named = async (): Promise<string[]> => (await forgedRows(stack.pool, 10)).map(({ row_key }) => row_key);
    await until(async () => (await named()).length > 0);
    expect(await named()).toStrictEqual([JSON.stringify([edited])]);
    await rebuild(stack.parts, PROJECTIONS, 'read');
    expect(await genuine(stack.parts.macs)).toStrictEqual(partners.toSorted());
    await stack.pool.query("update ops.forged_row set noticed_at = now() - interval '1 hour'");
    await sweep.sweep();
    expect(await named()).toStrictEqual([]);
    const [verified] = await verify(stack.parts, PROJECTIONS, 'read');
    expect(verified).toMatchObject({ rows: 3, differing: 0 });
  });

  it('are swept whatever somebody writes into the table of the rows that were found', async () => {
    const macs = rotatedKeys();
    recordForgedRows(stack.pool, macs);
    const texts = ['x', '', '{}', 'null', '["p-0"]', '["a","b"]', '[{}]', '[1]', String.raw`["\u0000"]`, String.raw`["\ud800"]`];
    await stack.pool.query("insert into ops.forged_row (table_name, row_key) select 'partner', unnest($1::text[])", [texts]);
    await stack.pool.query("update read.partner set status = 'active' where partner_id = $1", [edited]);
    await new RowSweep(stack.pool, macs, PROJECTIONS).sweep();
    await until(async () => (await forgedRows(stack.pool, 20)).length === 1);
    expect((await forgedRows(stack.pool, 20)).map(({ row_key }) => row_key)).toStrictEqual([JSON.stringify([edited])]);
  });
});
