import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { priceBookProjection } from '../../projections/price-book/price-book.projection.js';
import { checkHistories } from '../../src/operations/doctor/check-stored-data.js';
import { CATEGORIES } from '../../src/stores/event-streams.js';
import { type EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { HistoryWatch } from '../../src/platform/event-sourcing/reading/history-watch.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { foreignLogReason } from '../../src/platform/projecting/logs/foreign-log.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';

const metadata = { $correlationId: 'c', schema_version: 1 };
const partnerId = randomUUID();
const registered = {
  partner_id: partnerId,
  company_name: 'Test',
  account_type: 'bank',
  mode: 'live',
  recorded_at: '2026-11-21T10:00:00.000Z',
  actor: 'test',
};
/** The event store after a scavenge has removed the events of a stream that was deleted. */
function withoutEventsOf(eventStore: EventStore, stream: string): EventStore {
  return new Proxy(eventStore, {
    get: (target, name) => {
      if (name !== 'subscribe') return Reflect.get(target, name, target) as unknown;
      return async (...values: Parameters<EventStore['subscribe']>) => {
        const subscription = await target.subscribe(...values);
        const take = subscription.take.bind(subscription);
        return Object.assign(subscription, { take: () => take().filter((each) => each.stream !== stream) });
      };
    },
  });
}

const event = (): NewEvent => ({ id: randomUUID(), type: 'PartnerRegistered', data: registered, metadata });

describe('a stream of which events are hidden', () => {
  let stack: Stack;
  let client: EventStoreDBClient;

  beforeAll(async () => {
    stack = await startStack();
    client = EventStoreDBClient.connectionString(stack.store.connectionString);
  });
  afterAll(async () => {
    await client.dispose();
    await stack.close();
  });

  async function streamOf(category: string, events = 3): Promise<string> {
    const stream = `${category}-${randomUUID()}`;
    await stack.eventStore.append(stream, Array.from({ length: events }, event), NO_EVENTS);
    return stream;
  }

  const restore = async (stream: string): Promise<void> => {
    for (let time = 0; time < 2; time += 1) await client.setStreamMetadata(stream, { truncateBefore: 0 });
  };

  it('is named by the doctor with the revision from which it is there, unless it is none of the service’s', async () => {
    const [deleted, truncated, ended, foreign, limited] = [
      await streamOf('wallet'),
      await streamOf('farmer'),
      await streamOf('apikey'),
      await streamOf('scratch'),
      await streamOf('consent'),
    ];
    for (const stream of [deleted, foreign]) await client.deleteStream(stream);
    await client.setStreamMetadata(truncated, { truncateBefore: 2 });
    await client.tombstoneStream(ended);
    await client.setStreamMetadata(limited, { maxCount: 3 });
    const findings = await checkHistories(stack.eventStore);
    expect(findings.map(({ status }) => status)).toStrictEqual(['failure', 'failure', 'failure']);
    expect(findings.map(({ found }) => found.replace(/ docs.*/, ''))).toStrictEqual([
      `The history of ${deleted} is missing: none of its events up to revision 2 is there.`,
      `The history of ${truncated} is missing: it is there from revision 2 to 2, and not from 0.`,
      `The history of ${ended} is missing: the stream was ended for good (a tombstone).`,
    ]);
  });

  it('is found without a read of it, and forgotten when its events are back', async () => {
    const watch = new HistoryWatch(stack.eventStore, CATEGORIES);
    watch.start();
    const stream = await streamOf('webhook');
    const isMissing = (): boolean => stack.eventStore.missingHistories.has(stream);
    await client.deleteStream(stream);
    await until(() => Promise.resolve(isMissing()));
    await restore(stream);
    await until(() => Promise.resolve(!isMissing()));
    await watch.stop();
  });

  it('is not taken for a stream of another log when a read model’s checkpoint is in it', async () => {
    const projecting = stack.project([partnerProjection]);
    await projecting.prepared;
    const stream = `partner-${partnerId}`;
    const appended = await stack.eventStore.append(stream, [event()], NO_EVENTS);
    const position = appended.kind === 'appended' ? appended.position : 0n;
    await until(async () => {
      const { rowCount } = await stack.pool.query('select from ops.checkpoint where position >= $1', [position.toString()]);
      return rowCount === 1;
    });
    await client.deleteStream(stream);
    expect(await foreignLogReason(stack.pool, stack.eventStore)).toBeUndefined();
  });

  it('replaces no live table when a scavenge has removed its events, and is rebuilt from the whole log before that', async () => {
    const stream = `partner-${partnerId}`;
    const { parts, pool, eventStore } = stack;
    const rows = async (): Promise<number> =>
      (await pool.query('select from read.partner where partner_id = $1', [partnerId])).rowCount ?? 0;
    await client.deleteStream(stream);
    await rebuild(parts, [partnerProjection], 'read');
    expect(await rows()).toBe(1);
    const scavenged = withoutEventsOf(eventStore, stream);
    for (const work of [rebuild, verify])
      await expect(work({ ...parts, eventStore: scavenged }, [partnerProjection], 'read')).rejects.toThrow(
        'The log does not hold all events of 1 stream any more (partner)',
      );
    expect(await rows()).toBe(1);
    await rebuild({ ...parts, eventStore: scavenged }, [priceBookProjection], 'read');
  });
});
