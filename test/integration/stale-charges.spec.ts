import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { openChargeProjection } from '../../projections/open-charge/open-charge.projection.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { StaleCharges } from '../../src/contexts/wallet/stale-charges.js';
import { WalletStream } from '../../src/contexts/wallet/wallet-stream.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';

class FixedClock extends SystemClock {
  constructor(private readonly time: string) {
    super();
  }

  override now(): Date {
    return new Date(this.time);
  }
}

describe('charges that a killed process left open', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
    await stack.project([openChargeProjection]).prepared;
  });
  afterAll(() => stack.close());

  function sweeper(wallets: WalletStream, time: string): StaleCharges {
    return new StaleCharges(wallets, new FixedClock(time), stack.pool, pino({ level: 'silent' }));
  }

  it('are refunded once after a minute, by any instance that is up', async () => {
    const id = randomUUID();
    const wallets = new WalletStream(stack.eventStore, stack.codec);
    const charge = (lookup_id: string, at: string) =>
      wallets.execute(id, {
        kind: 'charge',
        partner_id: id,
        lookup_id,
        rupa_id: 'rp-1',
        source: 'loan',
        breakdown_kobo: { fee: 10 },
        price_book_version: 1,
        key_id: 'k',
        grants_consent: false,
        at,
        actor: 'test',
      });
    await wallets.execute(id, {
      kind: 'credit',
      partner_id: id,
      amount_kobo: 100,
      reference: 'r',
      checked_to_revision: -1n,
      at: '2026-11-21T09:59:00.000Z',
      actor: 'test',
    });
    await charge('old', '2026-11-21T10:00:00.000Z');
    await charge('young', '2026-11-21T10:00:30.000Z');
    await until(async () => (await stack.pool.query('select 1 from read.open_charge where partner_id = $1', [id])).rowCount === 2);
    const others = [new WalletStream(stack.eventStore, stack.codec), new WalletStream(stack.eventStore, stack.codec)];
    await sweeper(wallets, '2026-11-21T10:01:00.000Z').sweep();
    expect((await wallets.load(id)).state.open.size).toBe(2);
    await Promise.all(others.map((other) => sweeper(other, '2026-11-21T10:01:00.001Z').sweep()));
    const events = await stack.eventStore.readStream(`wallet-${id}`);
    expect(
      events.filter(({ type }) => type === 'RefundIssued').map(({ data }) => [data.lookup_id, data.amount_kobo, data.balance_after_kobo]),
    ).toStrictEqual([['old', 10, 90]]);
    await until(async () => (await stack.pool.query('select 1 from read.open_charge where partner_id = $1', [id])).rowCount === 1);
    await sweeper(wallets, '2026-11-21T10:01:00.001Z').sweep();
    expect(await stack.eventStore.readStream(`wallet-${id}`)).toHaveLength(events.length);
  });

  it('are found even if a consent is the last event of the wallet', async () => {
    const id = randomUUID();
    const wallets = new WalletStream(stack.eventStore, stack.codec);
    const at = '2026-11-21T10:00:00.000Z';
    await wallets.execute(id, {
      kind: 'credit',
      partner_id: id,
      amount_kobo: 100,
      reference: 'r',
      checked_to_revision: -1n,
      at,
      actor: 'test',
    });
    await wallets.execute(id, {
      kind: 'charge',
      partner_id: id,
      lookup_id: `${id}-first`,
      rupa_id: 'rp-1',
      source: 'loan',
      breakdown_kobo: { fee: 10 },
      price_book_version: 1,
      key_id: 'k',
      grants_consent: true,
      at,
      actor: 'test',
    });
    await until(async () => (await stack.pool.query('select 1 from read.open_charge where partner_id = $1', [id])).rowCount === 1);
    await sweeper(new WalletStream(stack.eventStore, stack.codec), '2026-11-21T10:02:00.000Z').sweep();
    expect((await stack.eventStore.lastEvent(`wallet-${id}`))?.type).toBe('RefundIssued');
  });

  it('are settled when the response is stored, because the partner can fetch it', async () => {
    const id = randomUUID();
    const wallets = new WalletStream(stack.eventStore, stack.codec);
    const at = '2026-11-21T10:00:00.000Z';
    await wallets.execute(id, {
      kind: 'credit',
      partner_id: id,
      amount_kobo: 100,
      reference: 'r',
      checked_to_revision: -1n,
      at,
      actor: 'test',
    });
    const charge = {
      kind: 'charge' as const,
      partner_id: id,
      rupa_id: 'rp-1',
      source: 'loan',
      breakdown_kobo: { fee: 10 },
      price_book_version: 1,
      key_id: 'k',
      grants_consent: false,
      at,
      actor: 'test',
    };
    for (const lookup_id of ['kept', 'begun']) {
      await wallets.execute(id, { ...charge, lookup_id: `${id}-${lookup_id}` });
      await stack.pool.query(
        `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, response) values ($1, $2, '', $3, 'rp-1', $4, now(), $5)`,
        [id, lookup_id, `${id}-${lookup_id}`, randomUUID(), lookup_id === 'kept' ? 'encrypted' : null],
      );
    }
    await until(async () => (await stack.pool.query('select 1 from read.open_charge where partner_id = $1', [id])).rowCount === 2);
    await sweeper(wallets, '2026-11-21T10:02:00.000Z').sweep();
    const closing = (await stack.eventStore.readStream(`wallet-${id}`))
      .slice(3)
      .map(({ type, data }) => [type, data.lookup_id ?? (data.charges as { lookup_id: string }[])[0]?.lookup_id]);
    expect(closing).toStrictEqual([
      ['ChargesSettled', `${id}-kept`],
      ['RefundIssued', `${id}-begun`],
    ]);
  });
});
