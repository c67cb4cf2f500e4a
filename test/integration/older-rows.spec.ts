import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { apiKeyProjection } from '../../projections/api-key/api-key.projection.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { webhookEndpointProjection } from '../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { forgedRows, recordForgedRows } from '../../src/platform/projecting/forged-rows.js';
import { type Authenticated, type Projection } from '../../src/platform/projecting/projection.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';

const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
type Event = readonly [type: string, data: object];

interface Case {
  readonly projection: Projection;
  readonly key: string;
  readonly stream: string;
  readonly created: Event;
  readonly ended: Event;
  readonly next: Event;
}

/** Read models whose rows each follow a stream: an event that creates a row, one that ends something, and one that any caller may bring about. */
const CASES: readonly Case[] = [
  {
    projection: partnerProjection,
    key: 'partner_id',
    stream: 'partner',
    created: ['PartnerRegistered', { company_name: 'A', account_type: 'bank', mode: 'live' }],
    ended: ['IpAllowListChanged', { cidrs: ['10.0.0.1/32'] }],
    next: ['LowBalanceThresholdChanged', { threshold_kobo: 100 }],
  },
  {
    projection: apiKeyProjection,
    key: 'key_id',
    stream: 'apikey',
    created: ['ApiKeyIssued', { label: null, partner_id: null }],
    ended: ['ApiKeyDeactivated', {}],
    next: ['ApiKeyLinked', { partner_id: 'p' }],
  },
  {
    projection: webhookEndpointProjection,
    key: 'endpoint_id',
    stream: 'webhook',
    created: [
      'WebhookRegistered',
      { partner_id: 'p', mode: 'live', url: 'https://former.example', name: null, events: ['*'], secret_id: 's' },
    ],
    ended: ['WebhookUpdated', { partner_id: 'p', url: 'https://present.example', name: null, events: ['*'] }],
    next: ['SigningSecretRotated', { partner_id: 'p', secret_id: 't', previous_secret_id: 's' }],
  },
];

describe('a row that follows a stream', () => {
  let stack: Stack;
  let ids = 0;
  const faults: string[] = [];

  beforeAll(async () => {
    stack = await startStack();
    const projections = CASES.map(({ projection }) => projection);
    recordForgedRows(stack.pool, stack.parts.macs);
    await stack.project(projections, { onFault: (projection, reason) => faults.push(`${projection}: ${reason}`) }).prepared;
  });
  afterAll(() => stack.close());

  /** A new stream of a case, with what tests do to it and to its row. */
  function begin({ projection, key, stream }: Case) {
    ids += 1;
    const id = key === 'endpoint_id' ? ids : `id-${ids}`;
    const table = `read.${projection.name}`;
    let revision = NO_EVENTS;
    const append = async ([type, data]: Event): Promise<void> => {
      const event = {
        id: randomUUID(),
        type,
        data: { [key]: id, key_hash: `hash-${id}`, recorded_at: '2026-01-01T00:00:00.000Z', actor: 'admin', ...data },
        metadata,
      };
      const appended = await stack.eventStore.append(`${stream}-${id}`, [event], revision);
      if (appended.kind !== 'appended') throw new Error(`${type} was not appended.`);
      revision += 1n;
      const shown = [projection.name, appended.position.toString()];
      await until(async () => {
        expect(faults).toStrictEqual([]);
        return (await stack.pool.query('select from ops.checkpoint where projection = $1 and position >= $2', shown)).rowCount === 1;
      });
    };
    const row = async (): Promise<Authenticated> => {
      const [found] = (await stack.pool.query<Authenticated>(`select * from ${table} where ${key} = $1`, [id])).rows;
      if (!found) throw new Error(`${projection.name} has no row of ${stream}-${id}.`);
      return found;
    };
    const stored = async (): Promise<string> =>
      (await stack.pool.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t where ${key} = $1`, [id])).rows[0]?.row ??
      '';
    const putBack = async (kept: string): Promise<void> => {
      await stack.pool.query(`delete from ${table} where ${key} = $1`, [id]);
      await stack.pool.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [kept]);
    };
    const holds = async (): Promise<boolean> => stack.parts.macs.holds(projection.table, await row());
    return { id, append, stored, putBack, holds };
  }

  it.each(CASES.map((each) => [each.projection.name, each] as const))(
    'of %s stays unused after an event if it was put back as it was earlier, is named, and holds after a rebuild',
    async (name, each) => {
      const { id, append, stored, putBack, holds } = begin(each);
      await append(each.created);
      const earlier = await stored();
      await append(each.ended);
      await putBack(earlier);
      expect(await holds()).toBe(true);
      for (const event of [each.next, each.next]) await append(event);
      expect(await holds()).toBe(false);
      const key = JSON.stringify([id]);
      await until(async () => (await forgedRows(stack.pool, 10)).some(({ table_name, row_key }) => table_name === name && row_key === key));
      await rebuild(stack.parts, [each.projection], 'read');
      expect(await holds()).toBe(true);
    },
  );

  it.each(CASES.map((each) => [each.projection.name, each] as const))(
    'of %s holds after an event that follows one which nobody can use',
    async (_name, each) => {
      const { append, holds } = begin(each);
      for (const event of [each.created, ['Strange', {}], each.next] as const) await append(event);
      expect(await holds()).toBe(true);
    },
  );

  it.each(CASES.map((each) => [each.projection.name, each] as const))(
    'of %s holds after an event that follows one of another row in its stream',
    async (_name, each) => {
      const { append, holds } = begin(each);
      const [type, data] = each.ended;
      const others = { ...data, [each.key]: each.key === 'endpoint_id' ? 999_999 : 'another' };
      for (const event of [each.created, [type, others], each.next] as const) await append(event);
      expect(await holds()).toBe(true);
    },
  );
});
