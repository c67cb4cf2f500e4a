import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { projections } from '../../projections/index.js';
import { ReferenceHash } from '../../src/contexts/reports/reference-hash.js';
import { type FilledLog, fillLog } from './fill-log.js';
import { rupaIdOf } from '../../src/cli/demo/generate-farmer.js';
import { GENESIS_HASH, chainHash } from '../../src/platform/event-sourcing/stream-kind.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { Ids } from '../../src/platform/ids/ids.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { replayInBatches } from '../../src/platform/projecting/applying/batches.js';
import { startStack, type Stack } from '../../test/support/stack.js';
import { until } from '../../test/support/until.js';
import { FARMER_STREAMS } from '../../src/contexts/farmers/domain/farmer.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { ALL_SEARCHED } from '../../test/support/unit/searched-entries.js';

const EVENTS = 3_000;
const at = '2026-11-21T10:00:00.000Z';

describe('a filled log', () => {
  let stack: Stack;
  let filled: FilledLog;
  let progressed = 0;
  const faults: string[] = [];
  let events: StoredEvent[];

  beforeAll(async () => {
    stack = await startStack();
    filled = await fillLog({ ...stack, events: EVENTS, seed: 7, onProgress: (count) => (progressed += count) });
    events = [];
    const head = (await stack.eventStore.headPosition()) ?? -1n;
    for await (const batch of replayInBatches(stack.eventStore, undefined, head, 1_000, new AbortController().signal))
      events.push(...batch.map((event) => stack.codec.inFull(event)));
    stack.project(projections, { maxBatch: 1_000, onFault: (name, reason) => faults.push(`${name}: ${reason}`) });
    await caughtUp();
    expect(faults).toStrictEqual([]);
  });
  afterAll(() => stack.close());

  async function caughtUp(): Promise<void> {
    const head = await stack.eventStore.headPosition();
    await until(async () => {
      const { rows } = await stack.pool.query<{ position: string | null }>('select position from ops.checkpoint');
      return rows.length === projections.length && rows.every(({ position }) => position === head?.toString());
    });
  }

  const count = async (sql: string): Promise<number> => (await stack.pool.query<{ count: number }>(sql)).rows[0]?.count ?? -1;
  const ofType = (type: string): StoredEvent[] => events.filter((event) => event.type === type);

  it('holds as many events as were requested and reported', () => {
    expect(filled.events).toBeGreaterThanOrEqual(EVENTS);
    expect([events.length, progressed]).toStrictEqual([filled.events, filled.events]);
  });

  it('fills every read model', async () => {
    expect(await count("select count(*) from read.partner where status = 'active'")).toBe(ofType('PartnerRegistered').length);
    expect(await count('select count(*) from read.api_key where partner_id is not null')).toBe(ofType('ApiKeyIssued').length);
    expect(await count('select count(*) from read.farmer_profile where identity is not null')).toBe(
      filled.farmers - ofType('FarmerErased').length,
    );
    expect(await count('select count(*) from key_store.data_key where wrapped is null')).toBe(ofType('FarmerErased').length);
    expect(await count('select count(*) from read.wallet_entry')).toBe(events.filter(({ stream }) => stream.startsWith('wallet-')).length);
    expect(await count('select count(*) from read.contribution')).toBe(ofType('ContributionRecorded').length);
    expect(await count('select sum(lookups)::bigint as count from read.partner_usage')).toBe(
      ofType('WalletDebited').length - ofType('RefundIssued').length,
    );
    expect(await count('select count(*) from read.open_charge')).toBe(0);
    expect(await count('select count(*) from read.price_book')).toBe(2);
    expect(await count('select count(*) from read.webhook_endpoint')).toBe(ofType('WebhookRegistered').length);
    const roster = await count('select count(*) from read.consent_roster');
    expect(roster).toBeGreaterThan(0);
    expect(roster).toBeLessThan(ofType('ConsentGranted').length);
  });

  it('keeps personal data encrypted, with a data key per farmer', async () => {
    expect(await count('select count(*) from key_store.data_key')).toBe(filled.farmers);
    for (const { data } of ofType('FarmerRegistered')) expect(data.parts).toMatch(/^v1:/);
    for (const { data } of ofType('FarmerSectionUpdated')) expect(data.content).toMatch(/^v1:/);
    for (const { data } of ofType('ContributionRecorded')) expect(data.payload).toMatch(/^v1:/);
  });

  it('names only signing secrets that are in the key store', async () => {
    const named = events.filter(({ data }) => typeof data.secret_id === 'string');
    expect(await count("select count(*) from key_store.secret where starts_with(name, 'webhook/')")).toBe(named.length);
  });

  it('can be continued by the service with wallets, partners, farmers and ids', async () => {
    const { eventStore, codec } = stack;
    const partner_id = randomUUID();
    await new StreamWriter(eventStore, codec, PARTNER_STREAMS).execute(partner_id, {
      kind: 'register',
      partner_id,
      company_name: 'New',
      account_type: 'bank',
      mode: 'live',
      at,
      actor: 'test',
    });
    const rupa_id = rupaIdOf(7, filled.farmers);
    await new StreamWriter(eventStore, codec, FARMER_STREAMS).execute(rupa_id, {
      kind: 'put',
      rupa_id,
      mode: 'live',
      record: { identity: { first_name: 'Aisha' } },
      at,
      actor: 'test',
    });
    const ids = new Ids(eventStore, codec, new SystemClock());
    expect(await ids.next('contribution')).toBeGreaterThan(
      Math.max(...ofType('ContributionRecorded').map(({ data }) => Number(data.contribution_id))),
    );
    expect(await ids.next('endpoint')).toBe(ofType('WebhookRegistered').length + 1);
    const wallet = ofType('WalletDebited')[0]?.data.partner_id as string;
    const credit = {
      kind: 'credit' as const,
      partner_id: wallet,
      amount_kobo: 5_00,
      reference: 'new',
      ...ALL_SEARCHED,
      at,
      actor: 'test',
    };
    await new StreamWriter(eventStore, codec, WALLET_STREAMS).execute(wallet, credit);
    await caughtUp();
    expect(await count(`select count(*) from read.partner where partner_id = '${partner_id}'`)).toBe(1);
    expect(await count('select count(*) from read.farmer_profile')).toBe(filled.farmers + 1);
    let hash = GENESIS_HASH;
    const entries = await eventStore.readStream(`wallet-${wallet}`);
    for (const { stream, revision, type, data, metadata } of entries.map((entry) => codec.inFull(entry))) {
      hash = chainHash(hash, stream, revision, type, data);
      expect(metadata.hash).toBe(hash);
    }
  });

  it('names the streams of contributions as the service does', async () => {
    const references = new ReferenceHash(new Secrets(stack.pool, stack.masterKeys), stack.eventStore);
    await references.onApplicationBootstrap();
    const encrypted = ofType('ContributionRecorded')
      .filter(({ data }) => typeof data.partner_reference === 'string')
      .slice(0, 20);
    const read = await stack.freshCodec().decode(encrypted);
    const names = read.map(({ data }) => data as { partner_id: string; partner_reference: string | null });
    const named = names.map(
      ({ partner_id, partner_reference }) =>
        partner_reference && `contribution-${partner_id}-${references.of(partner_id, partner_reference)}`,
    );
    for (const [index, name] of named.entries()) if (name !== null) expect(name).toBe(encrypted[index]?.stream);
  });

  it('cannot be filled again', async () => {
    await expect(fillLog({ ...stack, events: 10, seed: 1 })).rejects.toThrow(/already holds events/);
  });
});
