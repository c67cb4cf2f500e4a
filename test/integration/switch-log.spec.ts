import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { consentRosterProjection } from '../../projections/consent-roster/consent-roster.projection.js';
import { lowBalanceThresholdProjection } from '../../projections/low-balance-threshold/low-balance-threshold.projection.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { webhookEndpointProjection } from '../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { compareLogs, LogsDiffer } from '../../src/platform/event-sourcing/reading/compare-logs.js';
import { copyLog } from '../../src/platform/event-sourcing/reading/copy-log.js';
import { type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { refuseForeignLog } from '../../src/platform/projecting/logs/foreign-log.js';
import { switchLog } from '../../src/platform/projecting/logs/switch-log.js';
import { prepareReadModels } from '../../src/platform/projecting/applying/start-up.js';
import { Projector } from '../../src/platform/projecting/applying/projector.js';
import { NotificationSubscriber } from '../../src/contexts/webhooks/notifying/notification-subscriber.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { appenderOf } from '../support/event-appender.js';
import { ANY_STREAM, type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';
import { debited } from '../support/unit/wallet-events.js';
import { rowMacs } from '../support/row-macs.js';
import { openPatiently } from '../support/patient-log.js';

const at = '2026-11-21T10:00:00.000Z';
const PROJECTIONS = [consentRosterProjection, partnerProjection, webhookEndpointProjection, lowBalanceThresholdProjection];
const { signal } = new AbortController();

/** The first store's system events take up positions that the copy does not have, so positions decrease. */
describe('a database that is switched to a copy of its log', () => {
  let stack: Stack;
  let second: EventStoreProcess;
  let copy: EventStore;
  let reports = 0;

  beforeAll(async () => {
    [stack, second] = await Promise.all([startStack(ANY_STREAM), startEventStoreProcess()]);
    copy = openPatiently(second.connectionString);
    const client = EventStoreDBClient.connectionString(stack.store.connectionString);
    for (let n = 0; n < 50; n += 1) await client.appendToStream('$shift', jsonEvent({ type: '$shifted', data: { n } }));
    await client.dispose();
    await new DataKeys(stack.pool, stack.masterKeys).create('rp-1');
    const debit = debited(randomUUID(), 'rp-1');
    await append(stack.eventStore, 'wallet-p1', { ...debit, data: { ...debit.data, partner_id: 'p1' } });
    await append(stack.eventStore, 'webhook-1', {
      type: 'WebhookRegistered',
      data: {
        endpoint_id: 1,
        partner_id: 'p1',
        mode: 'live',
        url: 'https://partner.example/',
        name: null,
        events: ['*'],
        secret_id: 's',
        recorded_at: at,
        actor: 'a',
      },
    });
  });
  afterAll(async () => {
    await copy.close();
    await stack.close();
    await second.close();
  });

  const append = (eventStore: EventStore, stream: string, ...events: DomainEvent[]): Promise<bigint> =>
    appenderOf({ ...stack, eventStore }).append(stream, ...events);
  async function report(eventStore: EventStore): Promise<void> {
    reports += 1;
    await appenderOf({ ...stack, eventStore }).report(reports, 'rp-1');
  }
  const deliveries = async (): Promise<{ contribution_id: number; sequence: string }[]> =>
    (
      await stack.pool.query<{ contribution_id: number; sequence: string }>(
        'select contribution_id, sequence from ops.webhook_delivery order by delivery_id',
      )
    ).rows;
  /** Runs the projector and the webhook subscriber until every report has its delivery. */
  async function serve(eventStore: EventStore): Promise<void> {
    const stopping = new AbortController();
    const parts = { ...stack.parts, eventStore };
    await prepareReadModels(parts, PROJECTIONS, 'read');
    await report(eventStore);
    const options = { projections: PROJECTIONS, schema: 'read', maxBatch: 100, directory: [], onFault: () => undefined };
    const work = Promise.all([
      new Projector(stack.pool, eventStore, stack.codec, rowMacs, options).run(stopping.signal),
      new NotificationSubscriber(stack.pool, eventStore, stack.codec, stack.parts.macs).run(stopping.signal),
    ]);
    await Promise.race([work, until(async () => (await deliveries()).length === reports)]);
    stopping.abort();
    await work;
  }

  it('is refused before the switch, because its checkpoint points to another event', async () => {
    await stack.eventStore.headPosition();
    await serve(stack.eventStore);
    await serve(stack.eventStore);
    await copyLog(stack.eventStore, copy, undefined, () => undefined, signal);
    await expect(refuseForeignLog(stack.pool, copy)).rejects.toThrow(
      /beyond the log's end: the event store and the database do not belong together/,
    );
    for (let n = 0; n < 60; n += 1) await append(copy, 'ids-longer', { type: 'IdsReserved', data: {} });
    await expect(refuseForeignLog(stack.pool, copy)).rejects.toThrow(/does not hold its event .*do not belong together/);
    await expect(compareLogs(stack.eventStore, copy, () => undefined, signal)).rejects.toThrow(LogsDiffer);
  });

  it('has each delivery once after the switch, with increasing sequences', async () => {
    await second.close();
    await copy.close();
    second = await startEventStoreProcess();
    copy = openPatiently(second.connectionString);
    await copyLog(stack.eventStore, copy, undefined, () => undefined, signal);
    expect(await compareLogs(stack.eventStore, copy, () => undefined, signal)).toMatchObject({ events: 4, streams: 4, complete: true });
    // Another connection with this service's name counts as a running service.
    const other = await stack.pool.connect();
    await expect(switchLog(stack.pool, stack.eventStore, copy)).rejects.toThrow(/^A service runs on this database/);
    other.release();
    await stack.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await until(
      async () =>
        (await stack.pool.query('select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()')).rowCount ===
        0,
    );
    expect(await switchLog(stack.pool, stack.eventStore, copy)).toBe('switched');
    expect(await switchLog(stack.pool, stack.eventStore, copy)).toBe('already');
    await expect(refuseForeignLog(stack.pool, stack.eventStore)).rejects.toThrow(/do not belong together/);
    await serve(copy);
    const found = await deliveries();
    expect(found.map(({ contribution_id }) => contribution_id)).toStrictEqual([1, 2, 3]);
    const sequences = found.map(({ sequence }) => Number(sequence));
    expect(sequences).toStrictEqual([...new Set(sequences)].toSorted((one, other) => one - other));
  });
});
