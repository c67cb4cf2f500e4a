import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { projections } from '../../projections/index.js';
import { areOfThisRelease, verifyDecidingTables } from '../../src/contexts/rebuilding/verifying/deciding-tables.js';
import { rebuildReadModels } from '../../src/contexts/rebuilding/read-model-work.js';
import { VerificationLease } from '../../src/contexts/rebuilding/verifying/verification-lease.js';
import { type PartnerCommand, PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { checkForgedRows } from '../../src/operations/doctor/check-stored-data.js';
import { columnsOf } from '../../src/platform/database/schema.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { type ForgedRow, forgedRows, recordForgedRows, RowSweep } from '../../src/platform/projecting/forged-rows.js';
import { decidingTables } from '../../src/platform/projecting/projection.js';
import { type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';

const PROJECTIONS = projections.filter((each) => decidingTables([each]).length > 0);
const WITHOUT_MACS = decidingTables(projections).filter(({ authenticated }) => !authenticated);
/** A value of each type of column that does not take the text 1. */
const VALUES: Readonly<Record<string, string>> = { timestamptz: '2026-01-01', jsonb: '{}' };

describe('the verification of the tables by which calls decide', () => {
  let stack: Stack;
  const [kept, changed] = [randomUUID(), randomUUID()];

  const execute = async (command: PartnerCommand): Promise<void> => {
    const writer = new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS);
    const { position = -1n } = await writer.execute(command.partner_id, command);
    const applied = "select from ops.checkpoint where projection = 'partner' and position >= $1";
    await until(async () => (await stack.pool.query(applied, [position.toString()])).rowCount === 1);
  };
  const contextOf = (partner_id: string): { partner_id: string; at: string; actor: string } => ({
    partner_id,
    at: new Date().toISOString(),
    actor: 'test',
  });
  const register = async (partner_id: string): Promise<void> => {
    await execute({ kind: 'register', ...contextOf(partner_id), company_name: 'A Bank', account_type: 'bank', mode: 'live' });
  };
  const allowNetwork = async (partner_id: string, network: string): Promise<void> => {
    await execute({ kind: 'change-ip-allow-list', ...contextOf(partner_id), cidrs: [network] });
  };
  const rebuild = async (): Promise<void> => {
    await rebuildReadModels(stack.parts, PROJECTIONS);
    // The rebuild has moved the checkpoint of the projector, which ended by it.
    await stack.project(PROJECTIONS).prepared;
  };
  const verify = async (parts = stack.parts): Promise<void> => {
    await verifyDecidingTables(parts, PROJECTIONS);
  };
  const sweep = async (): Promise<void> => {
    await new RowSweep(stack.pool, stack.parts.macs, PROJECTIONS).sweep();
  };
  const named = async (): Promise<Pick<ForgedRow, 'row_key' | 'difference'>[]> =>
    (await forgedRows(stack.pool, 10)).map(({ row_key, difference }) => ({ row_key, difference }));
  /** Keeps the rows in a table of this name. */
  const keepRows = async (name: string): Promise<void> => {
    await stack.pool.query(`create table ${name} as select * from read.partner`);
  };
  const putBack = async (name: string, partner_id: string): Promise<void> => {
    await stack.pool.query('delete from read.partner where partner_id = $1', [partner_id]);
    await stack.pool.query(`insert into read.partner select * from ${name} where partner_id = $1`, [partner_id]);
  };
  /** Returns the parts with an event store that calls `onHead` after it has read the head of the log, as each comparison does once. */
  const withHead = (onHead: (comparison: number) => Promise<void>): Stack['parts'] => {
    let comparisons = 0;
    const headPosition = async (): Promise<bigint | undefined> => {
      const head = await stack.eventStore.headPosition();
      comparisons += 1;
      await onHead(comparisons);
      return head;
    };
    const eventStore = Object.create(stack.eventStore, { headPosition: { value: headPosition } }) as EventStore;
    return { ...stack.parts, eventStore };
  };

  beforeAll(async () => {
    stack = await startStack();
    await stack.project(PROJECTIONS).prepared;
    for (const id of [kept, changed]) await register(id);
    recordForgedRows(stack.pool, stack.parts.macs);
  });
  afterAll(async () => {
    await stack.close();
  });

  it('leaves out only those that have a row for each event', () => {
    expect(projections.filter((each) => !PROJECTIONS.includes(each)).map(({ name }) => name)).toStrictEqual(['wallet_entry', 'admin_call']);
  });

  it('is for the release that built them', async () => {
    const next = PROJECTIONS.map((each) => (each.name === 'partner' ? { ...each, version: each.version + 1 } : each));
    expect(await areOfThisRelease(stack.pool, PROJECTIONS)).toBe(true);
    expect(await areOfThisRelease(stack.pool, next)).toBe(false);
  });

  it('names no row of events that are appended and projected meanwhile', async () => {
    const added = randomUUID();
    await verify(
      withHead(async () => {
        await register(added);
        await allowNetwork(kept, '192.0.2.0/24');
      }),
    );
    expect(await named()).toStrictEqual([]);
  });

  it('names no row that differs for a moment', async () => {
    await keepRows('before_the_moment');
    await stack.pool.query('delete from read.partner where partner_id = $1', [kept]);
    const comparisons: number[] = [];
    await verify(
      withHead(async (comparison) => {
        comparisons.push(comparison);
        if (comparison === 2) await putBack('before_the_moment', kept);
      }),
    );
    expect([comparisons, await named()]).toStrictEqual([[1, 2], []]);
  });

  it('names a row that was deleted, in doctor and metric too, until a rebuild mends it', async () => {
    const counted: unknown[] = [];
    stack.parts.macs.onForged((...found) => counted.push(found));
    await stack.pool.query('delete from read.partner where partner_id = $1', [kept]);
    await verify();
    await sweep();
    const row_key = JSON.stringify([kept]);
    expect(await named()).toStrictEqual([{ row_key, difference: 'missing' }]);
    // A sweep that recorded the row again could do so after the rebuild.
    expect(counted).toStrictEqual([['partner', row_key, true]]);
    const [finding] = await checkForgedRows(stack.pool);
    expect(finding).toMatchObject({ status: 'failure', found: expect.stringContaining(`the row ${row_key} of partner is missing`) });
    await rebuild();
    expect(await named()).toStrictEqual([]);
    await verify();
    expect(await named()).toStrictEqual([]);
  });

  it('names a row that was deleted until it is there again', async () => {
    await keepRows('before_the_deletion');
    await stack.pool.query('delete from read.partner where partner_id = $1', [kept]);
    await verify();
    expect(await named()).toHaveLength(1);
    await putBack('before_the_deletion', kept);
    await sweep();
    expect(await named()).toStrictEqual([]);
  });

  it('names an older row that was put back, whose MAC holds, until a rebuild mends it', async () => {
    await keepRows('before_the_change');
    await allowNetwork(changed, '198.51.100.0/24');
    await putBack('before_the_change', changed);
    await verify();
    await stack.pool.query("update ops.forged_row set noticed_at = now() - interval '1 hour'");
    await sweep();
    expect(await named()).toStrictEqual([{ row_key: JSON.stringify([changed]), difference: 'different' }]);
    await rebuild();
    expect(await named()).toStrictEqual([]);
  });

  it.each(WITHOUT_MACS.map(({ name }) => name))('names a row that was added to %s, which has no MACs, until it is gone', async (table) => {
    const columns = WITHOUT_MACS.filter(({ name }) => name === table).flatMap((each) => columnsOf(each.table));
    const row = Object.fromEntries(columns.map(({ name, type }) => [name, VALUES[type] ?? '1']));
    await stack.pool.query(`insert into read.${table} select * from jsonb_populate_record(null::read.${table}, $1)`, [JSON.stringify(row)]);
    await verify();
    await stack.pool.query("update ops.forged_row set noticed_at = now() - interval '1 hour'");
    await sweep();
    expect((await forgedRows(stack.pool, 10)).map(({ table_name, difference }) => [table_name, difference])).toStrictEqual([
      [table, 'unexpected'],
    ]);
    await stack.pool.query(`delete from read.${table}`);
    await sweep();
    expect(await named()).toStrictEqual([]);
  });

  it('names nothing if a rebuild swaps the tables while they are compared', async () => {
    let connections = 0;
    // The first connection has the snapshot of the live tables, and the second one reads the rebuilt ones.
    const connect = async (...callback: unknown[]): Promise<unknown> => {
      if (callback.length === 0) {
        connections += 1;
        if (connections === 2) await rebuild();
      }
      return await stack.pool.connect(...(callback as []));
    };
    const pool = Object.create(stack.pool, { connect: { value: connect } }) as Pool;
    await expect(verify({ ...stack.parts, pool })).rejects.toThrow('A rebuild swapped a table');
    expect(await named()).toStrictEqual([]);
  });
});

describe('the lease of the hourly verification', () => {
  let stack: Stack;
  let leases: readonly [VerificationLease, VerificationLease];

  beforeAll(async () => {
    stack = await startStack();
    leases = [new VerificationLease(stack.pool), new VerificationLease(stack.pool)];
  });
  afterAll(async () => {
    await stack.close();
  });

  /** Both processes ask at the same time. Returns the one that may verify, and the other. */
  const claim = async (): Promise<readonly [holder: VerificationLease, other: VerificationLease] | undefined> => {
    const [first, second] = await Promise.all(leases.map((lease) => lease.claim()));
    expect(first && second).toBe(false);
    if (!first && !second) return undefined;
    return first ? leases : [leases[1], leases[0]];
  };
  const pass = async (time: string): Promise<void> => {
    await stack.pool.query('update ops.verification set begun_at = begun_at - $1::interval, due_at = due_at - $1::interval', [time]);
  };

  it('is for one process at a time: an hour after the first start, and an hour after each verification began', async () => {
    expect(await claim()).toBeUndefined();
    await pass('59 minutes');
    expect(await claim()).toBeUndefined();
    await pass('1 minute');
    const [holder] = (await claim()) ?? leases;
    await pass('4 minutes');
    expect(await holder.renew()).toBe(true);
    await holder.end(true);
    await pass('55 minutes');
    expect(await claim()).toBeUndefined();
    await pass('1 minute');
    expect(await claim()).toBeDefined();
  });

  it('is kept by renewing it, and is taken over from a process that was killed', async () => {
    await pass('1 hour');
    const [killed, next] = (await claim()) ?? leases;
    for (let time = 0; time < 30; time += 1) {
      await pass('4 minutes');
      expect([await killed.renew(), await next.renew(), await next.claim()]).toStrictEqual([true, false, false]);
    }
    await pass('5 minutes');
    expect([await next.claim(), await killed.renew()]).toStrictEqual([true, false]);
    // The process was paused only.
    await killed.end(true);
    expect(await next.renew()).toBe(true);
  });

  it('comes again after ten minutes if the verification failed, or took the hour', async () => {
    for (const isDone of [false, true]) {
      await pass('2 hours');
      const [holder] = (await claim()) ?? leases;
      await stack.pool.query("update ops.verification set begun_at = begun_at - interval '2 hours'");
      await holder.end(isDone);
      await pass('9 minutes');
      expect(await claim()).toBeUndefined();
      await pass('1 minute');
      expect(await claim()).toBeDefined();
    }
  });

  it('does not wait for a time that no process has written', async () => {
    await stack.pool.query("update ops.verification set due_at = 'infinity'");
    expect(await claim()).toBeDefined();
  });
});
