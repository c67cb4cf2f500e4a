import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestApplicationContext } from '@nestjs/common';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { PRICE_BOOK_ID, PRICE_BOOK_STREAMS } from '../../src/contexts/pricing/domain/price-book.js';
import { beginPriceBook } from '../../src/contexts/pricing/publishing/begin-price-book.js';
import { publishedPriceBooks } from '../../src/contexts/pricing/showing/get-price-book.query.js';
import { Clock } from '../../src/kernel/clock.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { StreamWriter, Streams } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { codecWithoutKeys } from '../support/service-log.js';
import { openPatiently } from '../support/patient-log.js';

const at = '2026-11-21T10:00:00.000Z';
const codec = codecWithoutKeys();

describe('the prices with which a log begins', () => {
  let store: EventStoreProcess;
  let eventStore: EventStore;

  beforeEach(async () => {
    store = await startEventStoreProcess();
    eventStore = openPatiently(store.connectionString);
  });
  afterEach(async () => {
    await eventStore.close();
    await store.close();
  });

  /** Begins as a process of its own. */
  async function begin(): Promise<void> {
    const provided = new Map<unknown, unknown>([
      [EventStore, eventStore],
      [Clock, new SystemClock()],
      [Streams, { of: () => new StreamWriter(eventStore, codec, PRICE_BOOK_STREAMS) }],
    ]);
    await beginPriceBook({ get: (token: unknown) => provided.get(token) } as unknown as INestApplicationContext);
  }

  const history = async (): Promise<unknown[]> => {
    const versions: unknown[] = [];
    for await (const { version, published_at, actor } of publishedPriceBooks(eventStore, codec))
      versions.push([version, published_at, actor]);
    return versions;
  };
  const BEGUN = [1, expect.any(String), 'service'];

  it('are published once, by however many processes start at the same time', async () => {
    await Promise.all([begin(), begin(), begin()]);
    await begin();
    expect(await history()).toStrictEqual([BEGUN]);
    expect((await eventStore.allPage()).events).toHaveLength(1);
  });

  it('are published after a key of checkpoints and commands in the audit trail', async () => {
    const event = (type: string) => ({ id: crypto.randomUUID(), type, data: {}, metadata: { $correlationId: 'c', schema_version: 1 } });
    await eventStore.append('checkpoint_keys-main', [event('CheckpointKeyIssued')], -1n);
    await eventStore.append('admin_audit-2026-11-21', [event('AdminCallBegun')], -1n);
    await begin();
    expect(await history()).toStrictEqual([BEGUN]);
  });

  it('stay unpublished in a log that has a partner', async () => {
    const partner = { kind: 'register', partner_id: 'p-1', company_name: 'A Bank', account_type: 'bank', mode: 'live' } as const;
    await new StreamWriter(eventStore, codec, PARTNER_STREAMS).execute('p-1', { ...partner, at, actor: 'cli' });
    await begin();
    expect(await history()).toStrictEqual([[1, null, null]]);
  });

  it('do not replace prices that an administrator published', async () => {
    const prices = new StreamWriter(eventStore, codec, PRICE_BOOK_STREAMS);
    const { state } = await prices.load(PRICE_BOOK_ID);
    const fees_kobo = { ...state.fees_kobo, 'svc_fee.identity': 1_00 } as Parameters<typeof prices.execute>[1]['fees_kobo'];
    await prices.execute(PRICE_BOOK_ID, { fees_kobo, at, actor: 'admin' });
    await begin();
    expect(await history()).toStrictEqual([
      [1, null, null],
      [2, at, 'admin'],
    ]);
  });
});
