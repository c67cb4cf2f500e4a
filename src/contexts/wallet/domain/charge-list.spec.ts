import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { given } from '../../../../test/support/unit/given.js';
import { at, charge as one, credited, partner_id, recorded } from '../../../../test/support/unit/wallet-decisions.js';
import { keyedId, idOfItem, listId } from '../../../kernel/keyed-id.js';
import { type WalletEvent } from './events.js';
import { type ChargeCommand, type LookupToCharge } from './wallet-command.js';
import { WALLET_STREAMS, walletDecider, type WalletState } from './wallet.js';

const FEES = { 'svc_fee.identity': 300_00, 'passthrough.bvn': 60_00 };
const lookup = (n: number, over: Partial<LookupToCharge> = {}): LookupToCharge => ({
  lookup_id: `l${n}`,
  rupa_id: `rp-${n}`,
  breakdown_kobo: FEES,
  grants_consent: false,
  ...over,
});
const charge = (lookups: readonly LookupToCharge[], over: Partial<ChargeCommand> = {}): ChargeCommand => {
  const { partner_id: partner, at: date, actor, source, price_book_version, key_id } = one;
  return { partner_id: partner, at: date, actor, source, price_book_version, key_id, kind: 'charge', lookups, ...over };
};
const debited = (n: number, balance_after_kobo: number, open_from_revision: number | null): WalletEvent => ({
  type: 'WalletDebited',
  data: {
    ...recorded,
    actor: one.actor,
    balance_after_kobo,
    open_from_revision,
    lookup_id: `l${n}`,
    rupa_id: `rp-${n}`,
    source: one.source,
    amount_kobo: 360_00,
    breakdown_kobo: FEES,
    price_book_version: 1,
  },
});
const rich: WalletEvent = { ...credited, data: { ...credited.data, amount_kobo: 1_080_00, balance_after_kobo: 1_080_00 } };

describe('the charge of a list', () => {
  it('debits every lookup in the order asked, and grants the consents between', () => {
    const granted: WalletEvent = {
      type: 'ConsentGranted',
      data: {
        ...recorded,
        actor: one.actor,
        balance_after_kobo: 720_00,
        open_from_revision: 1,
        lookup_id: 'l1',
        rupa_id: 'rp-1',
        source: one.source,
      },
    };
    given(walletDecider, [rich])
      .when(charge([lookup(1, { grants_consent: true }), lookup(2), lookup(3)]))
      .then([debited(1, 720_00, null), granted, debited(2, 360_00, 1), debited(3, 0, 1)]);
  });

  it('is rejected as a whole if the balance is too low for all, with the sum of all', () => {
    const breakdown_kobo = { 'svc_fee.identity': 1_200_00, 'passthrough.bvn': 240_00 };
    given(walletDecider, [rich])
      .when(charge([lookup(1), lookup(2), lookup(3), lookup(4)]))
      .thenRejected('insufficient_balance', { required_kobo: 1_440_00, available_kobo: 1_080_00, breakdown_kobo });
  });

  it('with allow_partial ends at the first lookup for which the balance is too low, although a later one is cheaper', () => {
    const cheap = lookup(4, { breakdown_kobo: { 'svc_fee.identity': 1 } });
    given(walletDecider, [credited])
      .when(charge([lookup(1), lookup(2), lookup(3), cheap], { allow_partial: true }))
      .then([debited(1, 640_00, null), debited(2, 280_00, 1)]);
    given(walletDecider, [])
      .when(charge([lookup(1)], { allow_partial: true }))
      .thenNothing();
  });

  it('is refused as a whole once other prices are in force', () => {
    given(walletDecider, [rich])
      .when(charge([lookup(1), lookup(2)], { price_until: at }))
      .thenRejected('price_changed');
  });

  it('of an Idempotency-Key is made once, and again only after all of it was refunded', () => {
    const call = (nth: number): string => listId(keyedId('a'.repeat(13), `0d9cbb1e-0000-4000-8000-000000000${nth}00`));
    const listOf = (nth: number): ChargeCommand => charge([0, 1].map((index) => lookup(index, { lookup_id: idOfItem(call(nth), index) })));
    const ids = (nth: number): string[] => listOf(nth).lookups.map(({ lookup_id }) => lookup_id);
    const first = walletDecider.decide(listOf(1), given(walletDecider, [rich]).state);
    given(walletDecider, [rich, ...first])
      .when(listOf(2))
      .thenRejected('key_in_use');
    const { state } = given(walletDecider, [rich, ...first]);
    const closing = { partner_id, at, actor: 'service' };
    const settled = walletDecider.decide({ ...closing, kind: 'settle', lookup_ids: ids(1).slice(0, 1) }, state);
    given(walletDecider, [rich, ...first, ...settled])
      .when(listOf(2))
      .thenRejected('key_in_use');
    const refunded = walletDecider.decide({ ...closing, kind: 'refund', lookup_ids: ids(1), reason: 'the response failed' }, state);
    expect(walletDecider.decide(listOf(2), given(walletDecider, [rich, ...first, ...refunded]).state)).toHaveLength(2);
    const rest = walletDecider.decide(
      { ...closing, kind: 'refund', lookup_ids: ids(1), reason: 'the response failed' },
      given(walletDecider, [rich, ...first, ...settled]).state,
    );
    given(walletDecider, [rich, ...first, ...settled, ...rest])
      .when(listOf(2))
      .thenRejected('response_lost');
  });

  it('fits into one append, however long its texts are', () => {
    const breakdown_kobo = Object.fromEntries(Array.from({ length: 11 }, (_, fee) => [`svc_fee.socioeconomic_profil${fee}`, 99_999_99]));
    const lookups = Array.from({ length: 100 }, (_, n) => lookup(n, { rupa_id: 'r'.repeat(64), breakdown_kobo, grants_consent: true }));
    const state: WalletState = { ...walletDecider.initialState, balance_kobo: 2 ** 46 };
    const events = walletDecider.decide(charge(lookups, { source: '"'.repeat(255), vat_percent: 99.99 }), state);
    expect(events).toHaveLength(200);
    expect(events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)).toBeLessThan(WALLET_STREAMS.maxBytesPerAppend);
  });

  const fees = fc.record({ 'svc_fee.identity': fc.nat(50), 'svc_fee.farms': fc.nat(50) });
  const lists = fc
    .uniqueArray(fc.record({ n: fc.nat(99), breakdown_kobo: fees, grants_consent: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
      selector: ({ n }) => n,
    })
    .map((list) => list.map(({ n, ...rest }) => lookup(n, rest)));
  const costOf = ({ breakdown_kobo }: LookupToCharge): number => Object.values(breakdown_kobo).reduce((sum, fee) => sum + fee, 0);

  it('charges all or nothing, or with allow_partial the longest beginning that the balance pays for', () => {
    fc.assert(
      fc.property(lists, fc.nat(600), fc.boolean(), (lookups, balance_kobo, allow_partial) => {
        const state: WalletState = { ...walletDecider.initialState, balance_kobo };
        const total = lookups.reduce((sum, each) => sum + costOf(each), 0);
        const decide = () => walletDecider.decide(charge(lookups, { allow_partial }), state);
        if (total > balance_kobo && !allow_partial) {
          expect(decide).toThrow('insufficient_balance');
          return;
        }
        const events = decide();
        const debits = events.flatMap(({ type, data }) => (type === 'WalletDebited' ? [data] : []));
        expect(debits.map(({ lookup_id }) => lookup_id)).toStrictEqual(lookups.slice(0, debits.length).map(({ lookup_id }) => lookup_id));
        const paid = debits.reduce((sum, { amount_kobo }) => sum + amount_kobo, 0);
        const next = lookups[debits.length];
        if (next) expect(paid + costOf(next)).toBeGreaterThan(balance_kobo);
        const last = events.reduce((folded, event, index) => walletDecider.evolve(folded, { ...event, revision: BigInt(index) }), state);
        expect([last.balance_kobo, last.open.size]).toStrictEqual([balance_kobo - paid, debits.length]);
        const granted = events.filter(({ type }) => type === 'ConsentGranted').length;
        expect(granted).toBe(lookups.slice(0, debits.length).filter(({ grants_consent }) => grants_consent).length);
      }),
    );
  });

  it('leads to the same entries as the charges of its lookups one after another', () => {
    fc.assert(
      fc.property(lists, (lookups) => {
        let alone: WalletState = { ...walletDecider.initialState, balance_kobo: 10_000 };
        const together = walletDecider.decide(charge(lookups), alone);
        const apart = lookups.flatMap((each) => {
          const events = walletDecider.decide(charge([each]), alone);
          alone = events.reduce((folded, event) => walletDecider.evolve(folded, { ...event, revision: folded.revision + 1n }), alone);
          return events;
        });
        expect(together).toStrictEqual(apart);
      }),
    );
  });
});
