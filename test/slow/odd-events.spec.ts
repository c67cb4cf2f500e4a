import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { projections } from '../../projections/index.js';
import { NotificationSubscriber } from '../../src/contexts/webhooks/notifying/notification-subscriber.js';
import { type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { ANY_STREAM, startStack, type Stack } from '../support/stack.js';
import { everyEvent, textsOf, withText } from '../support/unit/every-event.js';
import { oddTexts } from '../support/unit/odd-texts.js';
import { until } from '../support/until.js';

const MAX_PART = 500_000;
/** Types, times and values of lists that a release defines: these are not texts that somebody sent. */
const FIXED = [/^\d{4}-\d\d-\d\dT/, /^(identity|farms|loan_repayment|harvest_record|[A-Z]\w+)$/];

describe('the read models, from a log with the longest and oddest text in every field of every event', () => {
  let stack: Stack;
  let running: ReturnType<Stack['project']>;
  let histories = 0;
  const faults: string[] = [];
  const registered = { partners: new Set<unknown>(), farmers: new Set<unknown>() };

  beforeAll(async () => {
    stack = await startStack(ANY_STREAM);
    running = stack.project(projections, { onFault: (projection, reason) => faults.push(`${projection}: ${reason}`) });
    await running.prepared;
    for (const text of sentTexts()) {
      for (const odd of Object.values(oddTexts())) {
        histories += 1;
        await append(`odd-${histories}`, withText(everyEvent(histories), text.replace(/\d+$/, String(histories)), odd));
      }
    }
  });
  afterAll(() => stack.close());

  /** The texts of a history that another text can replace. */
  function sentTexts(): string[] {
    return [...textsOf(everyEvent(1))].filter((text) => !FIXED.some((fixed) => fixed.test(text)));
  }

  /** Appends past the deciders, as an older release may have. */
  async function append(stream: string, events: readonly DomainEvent[]): Promise<void> {
    for (const { type, data } of events) {
      if (type === 'PartnerRegistered') registered.partners.add((data as { partner_id: unknown }).partner_id);
      if (type === 'FarmerRegistered') registered.farmers.add((data as { rupa_id: unknown }).rupa_id);
    }
    const placed = events.map((event): NewEvent => ({
      id: randomUUID(),
      type: event.type,
      data: event.data as Record<string, unknown>,
      metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 },
    }));
    let revision = -1n;
    for (const part of parts(placed)) {
      expect(await stack.eventStore.append(stream, await stack.codec.encode(stream, part), revision)).toMatchObject({ kind: 'appended' });
      revision += BigInt(part.length);
    }
  }

  /** Splits the events, which may be too large for one append. */
  function parts(events: readonly NewEvent[]): NewEvent[][] {
    const split: NewEvent[][] = [];
    let bytes = Infinity;
    for (const event of events) {
      const size = JSON.stringify(event).length;
      if (bytes + size > MAX_PART) [bytes] = [0, split.push([])];
      bytes += size;
      split.at(-1)?.push(event);
    }
    return split;
  }

  it('catch up without a fault, with a row for each key', async () => {
    const head = String(await stack.eventStore.headPosition());
    await Promise.race([
      until(async () => {
        expect(faults).toStrictEqual([]);
        return (await stack.pool.query('select from ops.checkpoint where position = $1', [head])).rowCount === projections.length;
      }),
      running.ended.then((reason) => Promise.reject(new Error(`The projector ended: ${String(reason)}`))),
    ]);
    const { rows } = await stack.pool.query<Record<string, number>>(
      'select (select count(*) from read.partner) as partners, (select count(*) from read.farmer_profile) as farmers',
    );
    expect(rows).toStrictEqual([{ partners: registered.partners.size, farmers: registered.farmers.size }]);
  });

  it('are the same when they are rebuilt, and are verified', async () => {
    const shadowParts = { ...stack.parts, codec: stack.freshCodec() };
    const live = await verify(shadowParts, projections, 'read');
    expect(live.filter(({ differing }) => differing > 0)).toStrictEqual([]);
    await rebuild(shadowParts, projections, 'read');
    expect(await verify(shadowParts, projections, 'read')).toStrictEqual(live);
  });

  it('let the webhook subscriber pass every event', async () => {
    const stopping = new AbortController();
    const ended = new NotificationSubscriber(stack.pool, stack.eventStore, stack.codec, stack.parts.macs).run(stopping.signal);
    const head = String(await stack.eventStore.headPosition());
    await Promise.race([
      until(
        async () =>
          (await stack.pool.query("select from ops.checkpoint where projection = 'webhook_deliveries' and position = $1", [head]))
            .rowCount === 1,
      ),
      ended,
    ]);
    stopping.abort();
    await ended;
  });
});
