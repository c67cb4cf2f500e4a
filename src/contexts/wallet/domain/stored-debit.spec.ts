import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chainHash } from '../../../platform/event-sourcing/stream-kind.js';
import { FEE_KEYS } from '../../pricing/domain/price-book.js';
import { type WalletDebited, type WalletEvent } from './events.js';
import { NUMBERED_FEES } from './fees.js';
import { storedDebit } from './stored-debit.js';
import { walletDecider } from './wallet.js';
import { type WalletCommand } from './wallet-command.js';
import { chargeOf } from '../../../../test/support/unit/charge-of.js';
import { NOTHING_SEARCHED } from '../../../../test/support/unit/searched-entries.js';

const STREAM = 'wallet-p1';
const debit: WalletDebited['data'] = {
  partner_id: 'p1',
  recorded_at: '2026-11-21T10:00:00.000Z',
  actor: 'key:k1',
  balance_after_kobo: 900_00,
  open_from_revision: null,
  lookup_id: 'l1',
  rupa_id: 'rp-1',
  source: 'loan',
  amount_kobo: 130_00,
  breakdown_kobo: { 'svc_fee.farms': 80_00, 'svc_fee.identity': 50_00 },
  price_book_version: 3,
};
const kept = Object.fromEntries(
  Object.entries(debit).filter(([field]) => !['partner_id', 'amount_kobo', 'breakdown_kobo', 'price_book_version'].includes(field)),
);

const STORED = { ...kept, fees: [8, 80_00, 0, 50_00], price_book_version: 3 };

/** Stores a debit and reads it again, as JSON. */
function stored(data: object, stream = STREAM): Record<string, unknown> {
  return JSON.parse(JSON.stringify(storedDebit.compact(data as Record<string, unknown>, stream))) as Record<string, unknown>;
}

function decided(command: WalletCommand, before: readonly WalletEvent[]): readonly WalletEvent[] {
  return walletDecider.decide(
    command,
    before.reduce((state, event, index) => walletDecider.evolve(state, { ...event, revision: BigInt(index) }), walletDecider.initialState),
  );
}

const fee = fc.oneof(
  fc.constantFrom(...NUMBERED_FEES),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', '0', '', 'svc_fee.unknown'),
  fc.string(),
);
const amount = fc.oneof(fc.constant(0), fc.nat(1_000_000_00));
/** Breakdowns of listed fees, and of any keys, as own properties. */
const breakdowns = fc
  .oneof(fc.uniqueArray(fc.constantFrom(...NUMBERED_FEES)), fc.uniqueArray(fee))
  .chain((keys) => fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), amount))))
  .map((entries) => Object.fromEntries(entries));
const debits = fc
  .record({
    breakdown_kobo: breakdowns,
    /** How far the amount is off the sum of the fees. */
    off: fc.constantFrom(0, 0, 0, 1, -1),
    partner_id: fc.constantFrom('p1', 'p1', 'p2', ''),
    source: fc.string(),
    open_from_revision: fc.option(fc.nat()),
    /** Fields that the decider does not write. */
    more: fc.constantFrom(
      {},
      {},
      { vat_percent: 7.5 },
      { vat_percent: 0.01 },
      { vat_percent: null },
      { vat_percent: undefined },
      { vat_percent: 7.5, key_id: 'k2' },
      { key_id: 'k2' },
      { fees: [0, 1] },
      JSON.parse('{"__proto__":"x"}') as object,
    ),
  })
  .map(({ off, more, ...over }) => {
    const amount_kobo = Object.values(over.breakdown_kobo).reduce((sum, each) => sum + each, off);
    return { ...debit, ...over, amount_kobo, ...more };
  });

describe('the stored form of a debit', () => {
  it('replaces the fees, their sum and the partner with numbers', () => {
    expect(stored(debit)).toStrictEqual(STORED);
  });

  it('has the rate of VAT of a debit that has one', () => {
    expect(stored({ ...debit, vat_percent: 7.5 })).toStrictEqual({ ...STORED, vat_percent: 7.5 });
  });

  it('expands to exactly the same data, with the same hash and the same text', () => {
    fc.assert(
      fc.property(debits, (data) => {
        const expanded = storedDebit.expand(stored(data), STREAM);
        expect(expanded).toStrictEqual(JSON.parse(JSON.stringify(data)));
        expect(chainHash('', STREAM, 1n, 'WalletDebited', expanded)).toBe(chainHash('', STREAM, 1n, 'WalletDebited', data));
        expect(JSON.stringify(expanded)).toBe(JSON.stringify(data));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a fee that is not listed', { ...debit, breakdown_kobo: { 'svc_fee.identity': 130_00, tip: 0 } }],
    ['an amount that is not the sum of the fees', { ...debit, amount_kobo: 1 }],
    ['another partner than its stream', { ...debit, partner_id: 'p2' }],
    ['a field that this release does not write', { ...debit, key_id: 'k2' }],
  ])('leaves a debit with %s in full', (_what, data) => {
    expect(stored(data)).toStrictEqual(data);
    expect(storedDebit.expand(data, STREAM)).toBe(data);
  });

  it.each([
    ['no list', { ...STORED, fees: { 0: 1 } }],
    ['another field in place of the rate of VAT', { ...STORED, vat: 7.5 }],
    ['a number that stands for no fee', { ...STORED, fees: [0, 1, 99, 1] }],
    ['a name instead of a number', { ...STORED, fees: ['length', 1] }],
    ['a field that the form does not have', { ...STORED, extra: 1 }],
    ['a missing field', Object.fromEntries(Object.entries(STORED).filter(([field]) => field !== 'source'))],
  ])('leaves stored data with %s as it is, so that its hash does not match', (_what, data) => {
    expect(storedDebit.expand(data, STREAM)).toBe(data);
  });

  it('has room for a debit as the wallet decides it', () => {
    const charge = { partner_id: 'p1', at: debit.recorded_at, actor: 'key:k1' };
    const credited = decided({ kind: 'credit', ...charge, amount_kobo: 200_00, reference: 'r1', ...NOTHING_SEARCHED }, []);
    const { lookup_id, rupa_id, source, breakdown_kobo, price_book_version } = debit;
    const lookup = { lookup_id, rupa_id, source, breakdown_kobo, price_book_version, key_id: 'k1', grants_consent: false };
    const [charged] = decided(chargeOf({ ...charge, ...lookup }), credited);
    expect(stored(charged?.data ?? {})).toHaveProperty('fees', STORED.fees);
  });

  it('lists every fee of a price book', () => {
    expect(FEE_KEYS.filter((key) => !(NUMBERED_FEES as readonly string[]).includes(key))).toStrictEqual([]);
  });

  it('never changes the number of a fee', () => {
    expect(NUMBERED_FEES.slice(0, 12)).toStrictEqual([
      'svc_fee.identity',
      'svc_fee.bvn_nin_data',
      'passthrough.bvn',
      'passthrough.nin',
      'svc_fee.credit_history',
      'passthrough.credit_bureau',
      'svc_fee.outstanding_loans',
      'svc_fee.transaction_volume',
      'svc_fee.farms',
      'svc_fee.underwriting_value',
      'svc_fee.wallet',
      'svc_fee.socioeconomic_profile',
    ]);
  });
});
