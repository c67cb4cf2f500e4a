import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { prepaidEntryOf } from '../../../../test/support/unit/prepaid-entry.js';
import { runWallet, walletCommands } from '../../../../test/support/unit/wallet-history.js';
import { type PrepaidEntry, prepaidByAge } from './prepaid.js';

const AT = '2026-12-31T23:59:59.999Z';
const daysBefore = (days: number): string => new Date(Date.parse(AT) - days * 86_400_000).toISOString();

/** Builds a wallet's entries from what each one changes, and says their balances. */
class Wallet {
  readonly entries: PrepaidEntry[] = [];
  balance_kobo = 0;

  private add(days: number, change_kobo: number, rest: object): this {
    this.balance_kobo += change_kobo;
    const entry = { recorded_at: daysBefore(days), change_kobo, balance_after_kobo: this.balance_kobo, ...rest };
    this.entries.push(entry as unknown as PrepaidEntry);
    return this;
  }

  credit = (days: number, kobo: number, reference = `${days}`) => this.add(days, kobo, { kind: 'credit', reference });
  reverse = (days: number, kobo: number, credit_reference: string) => this.add(days, -kobo, { kind: 'reversal', credit_reference });
  payOut = (days: number, kobo: number) => this.add(days, -kobo, { kind: 'payout' });
  charge = (days: number, kobo: number, lookup_id: string) => this.add(days, -kobo, { kind: 'charge', lookup_id });
  giveBack = (days: number, kobo: number, lookup_id: string) => this.add(days, kobo, { kind: 'given_back', lookup_id });

  /** A charge that is never given back is none of the entries. */
  spend(kobo: number): this {
    this.balance_kobo -= kobo;
    return this;
  }

  byAge = () => prepaidByAge(this.entries, this.balance_kobo, AT);
}

const wallet = (): Wallet => new Wallet();
const NONE = { age_0_30: 0, age_31_90: 0, age_91_180: 0, age_over_180: 0 };

describe('the age of prepaid money', () => {
  it.each([
    [0, 'age_0_30'],
    [30, 'age_0_30'],
    [31, 'age_31_90'],
    [90, 'age_31_90'],
    [91, 'age_91_180'],
    [180, 'age_91_180'],
    [181, 'age_over_180'],
    [4_000, 'age_over_180'],
  ] as const)('of %d whole days belongs to %s', (days, band) => {
    expect(wallet().credit(days, 5_00).byAge()).toStrictEqual({ ...NONE, [band]: 5_00 });
  });

  it('lets charges and payouts take the oldest money', () => {
    const spent = wallet().credit(200, 100).credit(100, 100).spend(30).credit(10, 100).payOut(5, 90);
    expect(spent.byAge()).toStrictEqual({ ...NONE, age_91_180: 80, age_0_30: 100 });
  });

  it('returns what is given back to where its charge took it from', () => {
    const before = wallet().credit(200, 100).credit(100, 100).charge(50, 120, 'l1').spend(50);
    expect(before.byAge()).toStrictEqual({ ...NONE, age_91_180: 30 });
    expect(before.giveBack(1, 120, 'l1').byAge()).toStrictEqual({ ...NONE, age_over_180: 100, age_91_180: 50 });
  });

  it('takes money that was given back first again', () => {
    const again = wallet().credit(200, 100).charge(150, 100, 'l1').credit(100, 100).giveBack(1, 100, 'l1').spend(70);
    expect(again.byAge()).toStrictEqual({ ...NONE, age_over_180: 30, age_91_180: 100 });
  });

  it('counts a credit less what is reversed of it later, and takes what was spent of that from the money after it', () => {
    const reversed = wallet().credit(200, 100, 'wrong').spend(80).credit(10, 500).reverse(5, 100, 'wrong');
    expect(reversed.byAge()).toStrictEqual({ ...NONE, age_0_30: 420 });
  });

  it('gives back nothing to a credit that was reversed as a whole', () => {
    const reversed = wallet()
      .credit(200, 100, 'wrong')
      .charge(150, 80, 'l1')
      .credit(10, 500)
      .reverse(5, 100, 'wrong')
      .giveBack(1, 80, 'l1');
    expect(reversed.byAge()).toStrictEqual({ ...NONE, age_0_30: 500 });
  });

  it('sums to the balance in any wallet, and does not depend on whether other charges are listed', () => {
    const times = [181, 180, 91, 90, 31, 30, 0].map(daysBefore) as [string, ...string[]];
    fc.assert(
      fc.property(walletCommands('p1', times), (commands) => {
        const { events } = runWallet(commands);
        const all = events.flatMap(prepaidEntryOf);
        const balance = events.at(-1)?.data.balance_after_kobo ?? 0;
        const given = new Set(all.flatMap((entry) => (entry.kind === 'given_back' ? [entry.lookup_id] : [])));
        const few = all.filter((entry) => entry.kind !== 'charge' || given.has(entry.lookup_id));
        const byAge = prepaidByAge(few, balance, AT);
        expect(Object.values(byAge).reduce((sum, kobo) => sum + kobo, 0)).toBe(balance);
        expect(Math.min(...Object.values(byAge))).toBeGreaterThanOrEqual(0);
        expect(prepaidByAge(all, balance, AT)).toStrictEqual(byAge);
      }),
    );
  });
});
