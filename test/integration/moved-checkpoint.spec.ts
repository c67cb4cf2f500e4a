import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { consentRosterProjection } from '../../projections/consent-roster/consent-roster.projection.js';
import { lowBalanceThresholdProjection } from '../../projections/low-balance-threshold/low-balance-threshold.projection.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { walletEntryProjection } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { webhookEndpointProjection } from '../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { NotificationSubscriber } from '../../src/contexts/webhooks/notifying/notification-subscriber.js';
import { appenderOf } from '../support/event-appender.js';
import { ANY_STREAM, type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';

const at = '2026-11-21T10:00:00.000Z';
/** The checkpoint after the newest event, as somebody writes it who knows which event that is. */
const AHEAD = `update ops.checkpoint set position = $1, event = json_build_object('id', $2::text, 'stream', $3::text, 'revision', $4::int)
  where projection = 'webhook_deliveries'`;
const ROW_AHEAD = 'update ops.notified_event set event_id = $2, stream = $3, revision = $4 where $1::text is not null';

describe('the checkpoint of the webhook subscriber, edited with the database’s password', () => {
  let stack: Stack;
  let ending: (() => Promise<void>)[];
  let noticed: string[];
  let count = 0;

  beforeAll(async () => {
    stack = await startStack(ANY_STREAM);
    stack.project([
      consentRosterProjection,
      partnerProjection,
      webhookEndpointProjection,
      lowBalanceThresholdProjection,
      walletEntryProjection,
    ]);
    stack.parts.macs.onForged((table, key) => noticed.push(`${table} ${key}`));
    const { append, grant, register } = appenderOf(stack);
    await append('farmer-rp-1', { type: 'FarmerRegistered', data: { rupa_id: 'rp-1', mode: 'live', recorded_at: at, actor: 'a' } });
    await register(1, 'p1');
    await grant('p1', 'rp-1');
  });
  beforeEach(() => {
    ending = [];
    noticed = [];
  });
  afterEach(async () => {
    for (const end of ending) await end();
  });
  afterAll(async () => {
    await stack.close();
  });

  const subscribe = (): (() => Promise<void>) => {
    const stopping = new AbortController();
    const work = new NotificationSubscriber(stack.pool, stack.eventStore, stack.codec, stack.parts.macs).run(stopping.signal);
    const end = async (): Promise<void> => {
      stopping.abort();
      await work;
    };
    ending.push(end);
    return end;
  };
  /** Returns the reports of which there are a delivery and an event of the list. */
  const told = async (): Promise<number[]> =>
    (
      await stack.pool.query<{ contribution_id: number }>(
        'select contribution_id from ops.webhook_delivery join ops.notification using (event_id, contribution_id) order by contribution_id',
      )
    ).rows.map(({ contribution_id }) => contribution_id);
  /** Reports once more. Returns the number of the report. */
  const report = async (): Promise<number> => {
    count += 1;
    await appenderOf(stack).report(count, 'rp-1');
    return count;
  };
  const reported = async (): Promise<number> => {
    const number = await report();
    await until(async () => (await told()).includes(number));
    return number;
  };
  const newest = async (): Promise<unknown[]> => {
    const { id, stream, revision, position } = (await stack.eventStore.newestEvent()) ?? { id: '', stream: '', revision: 0n, position: 0n };
    return [position.toString(), id, stream, Number(revision)];
  };

  it.each([
    ['moved ahead', [AHEAD]],
    ['moved ahead, as is the event that was processed last', [AHEAD, ROW_AHEAD]],
    [
      'moved ahead, and the event that was processed last is deleted',
      [AHEAD, 'delete from ops.notified_event where $1::text || $2 || $3 || $4 is not null'],
    ],
  ])('loses no event if it was %s, and is named', async (_what, edits) => {
    const stop = subscribe();
    const first = await reported();
    await stop();
    const between = await report();
    for (const edit of edits) expect((await stack.pool.query(edit, await newest())).rowCount).toBe(1);
    subscribe();
    const last = await reported();
    expect((await told()).slice(first - 1)).toStrictEqual([first, between, last]);
    expect(noticed).toContain('notified_event ["webhook_deliveries"]');
  });

  it('tells nothing again if it was moved back to the beginning', async () => {
    const stop = subscribe();
    await reported();
    await stop();
    await stack.pool.query('delete from ops.webhook_delivery');
    await stack.pool.query("update ops.checkpoint set position = null, event = null where projection = 'webhook_deliveries'");
    subscribe();
    expect([await reported(), noticed.length > 0]).toStrictEqual([count, true]);
    expect(await told()).toStrictEqual([count]);
  });

  it('is used as it is after a stop, and nothing is named', async () => {
    for (let round = 0; round < 2; round += 1) {
      const stop = subscribe();
      await reported();
      await stop();
    }
    expect(noticed).toStrictEqual([]);
  });
});
