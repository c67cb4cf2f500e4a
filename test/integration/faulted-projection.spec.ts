import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineEntity } from '@mikro-orm/core';
import { randomUUID } from 'node:crypto';
import { column } from '../../projections/columns.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { projection } from '../../src/platform/projecting/projection.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { retry } from '../../src/platform/projecting/applying/retry.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

interface Registered {
  readonly type: 'PartnerRegistered';
  readonly data: { readonly partner_id: string; readonly company_name: string };
}

describe('a projection that fails on an event', () => {
  let stack: Stack;
  let poison = 'C';
  let stopped = false;
  let tryFaultedEveryMs = Infinity;
  let running: ReturnType<Stack['project']> | undefined;
  const faults: string[] = [];
  const poisoned = projection<object, Registered>({
    name: 'poisoned',
    version: 1,
    table: defineEntity({
      name: 'poisoned',
      tableName: 'poisoned',
      properties: { partner_id: column.text().primary(), company_name: column.text() },
    }),
    handlers: {
      PartnerRegistered: {
        keys: ({ data }) => [{ partner_id: data.partner_id }],
        apply: (_row, { data: { partner_id, company_name } }) => {
          if (company_name === poison) throw new Error(`${company_name} is too much`);
          return { partner_id, company_name };
        },
      },
    },
  });
  const both = [partnerProjection, poisoned];

  beforeAll(async () => {
    stack = await startStack();
    void follow();
  });
  afterAll(async () => {
    stopped = true;
    await stack.close();
  });

  /** Runs the projector as an instance does: it resumes at the checkpoints each time it ends. */
  async function follow(): Promise<void> {
    while (!stopped) {
      running = stack.project(both, { maxBatch: 2, onFault: (name) => faults.push(name), tryFaultedEveryMs });
      await running.ended;
    }
  }

  async function register(...companies: string[]): Promise<void> {
    for (const company_name of companies) {
      const partner_id = randomUUID();
      await new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS).execute(partner_id, {
        kind: 'register',
        partner_id,
        company_name,
        account_type: 'bank',
        mode: 'live',
        at: '2026-11-21T10:00:00.000Z',
        actor: 'test',
      });
    }
  }
  const shown = async (table: string): Promise<string> => {
    const { rows } = await stack.pool.query<{ company_name: string }>(`select company_name from read.${table} order by company_name`);
    return rows.map(({ company_name }) => company_name).join('');
  };
  const fault = async (): Promise<string | null> =>
    (await stack.pool.query<{ fault: string | null }>("select fault from ops.checkpoint where projection = 'poisoned'")).rows[0]?.fault ??
    null;

  it('stops at the event and records the reason, while the other projections continue', async () => {
    await until(async () => (await stack.pool.query('select from ops.checkpoint')).rowCount === both.length);
    await register('A', 'B', 'C', 'D');
    const reason = await until(async () => (await fault()) ?? undefined);
    expect(reason).toMatch(/^event [0-9a-f-]{36} \(PartnerRegistered, partner-[0-9a-f-]{36} at 0\): C is too much$/);
    await until(() => faults.length > 0);
    expect(faults).toStrictEqual(['poisoned']);
    await register('E');
    await until(async () => (await shown('partner')) === 'ABCDE');
    expect(await shown('poisoned')).toBe('AB');
  });

  it('stops again when it is retried without a fix', async () => {
    expect(await retry(stack.pool, 'poisoned', 30_000)).toStrictEqual({
      kind: 'faulted_again',
      fault: expect.stringContaining('C is too much'),
    });
    expect(await shown('poisoned')).toBe('AB');
  });

  it('is not replaced by a rebuild that fails on the event, too', async () => {
    await expect(rebuild(stack.parts, both, 'read')).rejects.toThrow(
      /poisoned cannot be rebuilt, and its live table is unchanged: event .*C is too much/,
    );
    expect(await shown('poisoned')).toBe('AB');
    expect(await shown('partner')).toBe('ABCDE');
    expect((await stack.pool.query("select from pg_namespace where nspname like 'rebuild%'")).rowCount).toBe(0);
  });

  it('resumes when it is retried after a fix, catches up, and follows with the others', async () => {
    poison = '';
    expect(await retry(stack.pool, 'poisoned', 30_000)).toStrictEqual({ kind: 'caught_up' });
    expect(await shown('poisoned')).toBe('ABCDE');
    await register('F');
    await until(async () => (await shown('poisoned')) === 'ABCDEF');
    expect((await verify(stack.parts, both, 'read')).map(({ differing }) => differing)).toStrictEqual([0, 0]);
    expect(await retry(stack.pool, 'poisoned', 30_000)).toStrictEqual({ kind: 'not_faulted' });
  });

  it('is also repaired by a rebuild that processes the event', async () => {
    poison = 'G';
    await register('G', 'H');
    await until(fault);
    poison = '';
    await rebuild(stack.parts, [poisoned], 'read');
    expect(await fault()).toBeNull();
    await until(async () => (await shown('poisoned')) === 'ABCDEFGH');
  });

  it('goes on by itself once it can apply the event', async () => {
    tryFaultedEveryMs = 0;
    await running?.stop();
    poison = 'I';
    await register('I', 'J');
    await until(fault);
    // It is tried again meanwhile, and holds nobody up.
    await register('K');
    await until(async () => (await shown('partner')) === 'ABCDEFGHIJK');
    expect(await shown('poisoned')).toBe('ABCDEFGH');
    poison = '';
    await until(async () => (await shown('poisoned')) === 'ABCDEFGHIJK');
    expect(await fault()).toBeNull();
  });
});
