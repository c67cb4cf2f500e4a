import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { defineEntity } from '@mikro-orm/core';
import { randomUUID } from 'node:crypto';
import { column } from '../../projections/columns.js';
import { projection, type Projection } from '../../src/platform/projecting/projection.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { prepareReadModels } from '../../src/platform/projecting/applying/start-up.js';
import { SteppedDown } from '../../src/platform/projecting/applying/stepped-down.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

const at = '2026-11-21T10:00:00.000Z';
interface Registered {
  readonly type: 'PartnerRegistered';
  readonly data: { readonly partner_id: string; readonly company_name: string };
}

/** Returns a projection of the companies' names, as one version of the service defines it. */
function names(version: number, shown: (name: string) => string, more: { readonly length?: true } = {}): Projection {
  const length = more.length ? { length: column.integer() } : {};
  return projection<object, Registered>({
    name: 'names',
    version,
    table: defineEntity({
      name: 'names',
      tableName: 'names',
      properties: { partner_id: column.text().primary(), name: column.text(), ...length },
    }),
    handlers: {
      PartnerRegistered: {
        keys: ({ data }) => [{ partner_id: data.partner_id }],
        apply: (_row, { data }) => ({
          partner_id: data.partner_id,
          name: shown(data.company_name),
          ...(more.length ? { length: data.company_name.length } : {}),
        }),
      },
    },
  });
}

const first = names(1, (name) => name);
const loud = names(2, (name) => name.toUpperCase());
const measured = names(2, (name) => name, { length: true });

describe('a new version of a projection', () => {
  let stack: Stack;

  beforeEach(async () => {
    stack = await startStack();
    for (const name of ['a', 'b', 'c']) await register(name);
  });
  afterEach(() => stack.close());

  async function register(company_name: string): Promise<void> {
    const partner_id = randomUUID();
    await new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS).execute(partner_id, {
      kind: 'register',
      partner_id,
      company_name,
      account_type: 'bank',
      mode: 'live',
      at,
      actor: 'test',
    });
  }
  const shown = async (): Promise<string> =>
    (await stack.pool.query<{ name: string }>('select name from read.names order by name')).rows.map(({ name }) => name).join('');
  const showing = (expected: string): Promise<true> => until(async () => (await shown()) === expected);

  it('with the same columns serves the old rows until the new ones are swapped in', async () => {
    const older = stack.project([first]);
    await older.prepared;
    await showing('abc');
    const outdated = await prepareReadModels(stack.parts, [loud], 'read');
    expect(outdated).toStrictEqual([loud]);
    expect(await shown()).toBe('abc');
    await rebuild(stack.parts, outdated, 'read');
    expect(await shown()).toBe('ABC');
    expect(await prepareReadModels(stack.parts, [loud], 'read')).toStrictEqual([]);
  });

  it('with other columns serves older instances from the old table until the new one is complete', async () => {
    const older = stack.project([first]);
    await older.prepared;
    await showing('abc');
    const seen: Promise<string>[] = [];
    const onProgress = (): void => void seen.push(shown());
    expect(await prepareReadModels({ ...stack.parts, onProgress, limits: { batch: 1, rows: 1 } }, [measured], 'read')).toStrictEqual([]);
    expect(new Set(await Promise.all(seen))).toStrictEqual(new Set(['abc']));
    const { rows } = await stack.pool.query('select name, length from read.names order by name');
    expect(rows).toStrictEqual(['a', 'b', 'c'].map((name) => ({ name, length: 1 })));
  });

  it('makes an instance with older code step down instead of writing', async () => {
    const older = stack.project([first]);
    await older.prepared;
    await showing('abc');
    await rebuild(stack.parts, [loud], 'read');
    await register('d');
    await older.ended;
    expect(await stack.project([first]).ended).toBeInstanceOf(SteppedDown);
    expect(await shown()).toBe('ABC');
    const newer = stack.project([loud]);
    await newer.prepared;
    await showing('ABCD');
  });
});
