import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runWallet, walletCommands } from '../../../../../test/support/unit/wallet-history.js';
import { vatPercentOf } from '../../../../kernel/vat.js';
import { changeOf } from '../../../wallet/domain/balance-change.js';
import { type WalletEvent } from '../../../wallet/domain/events.js';
import { postings } from '../postings.js';
import { type FeeMovement, statementLines, vatTotals } from './statement-lines.js';

const charge: FeeMovement = {
  isCharge: true,
  amount_kobo: -110_00,
  breakdown_kobo: { 'svc_fee.identity': 50_00, 'passthrough.bvn': 60_00 },
  vat_percent: 7.5,
  count: 3,
};

/** Returns the events that move fees, each as a movement of its own. */
function movementsOf(events: readonly WalletEvent[]): FeeMovement[] {
  return events.flatMap((event) => {
    if (event.type !== 'WalletDebited' && event.type !== 'RefundIssued' && event.type !== 'LookupCompensated') return [];
    const { breakdown_kobo = null } = event.data;
    const isCharge = event.type === 'WalletDebited';
    return [{ isCharge, amount_kobo: changeOf(event), breakdown_kobo, vat_percent: vatPercentOf(event.data), count: 1 }];
  });
}

/** Returns what the events posted to each account that is neither the partner's nor moved by money in and out: credits less debits. */
function postedBy(events: readonly WalletEvent[]): Record<string, number> {
  const posted: Record<string, number> = {};
  for (const { account, debit_kobo, credit_kobo } of events.flatMap(postings))
    if (/^(?:revenue|passthrough_payable)\.|^(?:vat_payable|refunds)$/.test(account))
      posted[account] = (posted[account] ?? 0) + credit_kobo - debit_kobo;
  return posted;
}

const nonZero = (amounts: Record<string, number>) => Object.fromEntries(Object.entries(amounts).filter(([, kobo]) => kobo !== 0));

describe('the lines of a statement', () => {
  it('are one for each price and rate, with what was given back as a negative quantity', () => {
    const dearer = { ...charge, count: 1, breakdown_kobo: { 'svc_fee.identity': 80_00 }, amount_kobo: -80_00, vat_percent: 10 };
    const refunded = { ...charge, isCharge: false, amount_kobo: 110_00, count: 1 };
    const identity = { section: 'identity', provider: null };
    const bvn = { section: null, provider: 'bvn', unit_price_kobo: 60_00, vat_percent: 0, vat_kobo: 0 };
    expect(statementLines([dearer, refunded, charge])).toStrictEqual([
      { ...identity, quantity: 3, unit_price_kobo: 50_00, vat_percent: 7.5, net_kobo: 139_53, vat_kobo: 10_47, amount_kobo: 150_00 },
      { ...identity, quantity: -1, unit_price_kobo: 50_00, vat_percent: 7.5, net_kobo: -46_51, vat_kobo: -3_49, amount_kobo: -50_00 },
      { ...identity, quantity: 1, unit_price_kobo: 80_00, vat_percent: 10, net_kobo: 72_73, vat_kobo: 7_27, amount_kobo: 80_00 },
      { ...bvn, quantity: 3, net_kobo: 180_00, amount_kobo: 180_00 },
      { ...bvn, quantity: -1, net_kobo: -60_00, amount_kobo: -60_00 },
    ]);
  });

  it('show refunds that were recorded without fees without a section, a provider or VAT', () => {
    expect(statementLines([{ isCharge: false, amount_kobo: 110_00, breakdown_kobo: null, vat_percent: 0, count: 2 }])).toStrictEqual([
      {
        section: null,
        provider: null,
        quantity: -2,
        unit_price_kobo: 110_00,
        vat_percent: 0,
        net_kobo: -220_00,
        vat_kobo: 0,
        amount_kobo: -220_00,
      },
    ]);
  });

  it('of any history sum to what was posted, account by account, in whatever order they are read', () => {
    fc.assert(
      fc.property(walletCommands(), fc.boolean(), fc.infiniteStream(fc.nat()), (commands, isEarlierRelease, order) => {
        const events = runWallet(commands).events.map((event): WalletEvent => {
          if (event.type !== 'RefundIssued' || !isEarlierRelease) return event;
          const { breakdown_kobo: _, vat_percent: __, ...data } = event.data;
          return { ...event, data };
        });
        const movements = movementsOf(events);
        const lines = statementLines(movements);
        const posted: Record<string, number> = {};
        const post = (account: string, kobo: number) => (posted[account] = (posted[account] ?? 0) + kobo);
        for (const { section, provider, quantity, unit_price_kobo, net_kobo, vat_kobo, amount_kobo } of lines) {
          expect(amount_kobo).toBe(unit_price_kobo === 0 ? 0 : quantity * unit_price_kobo);
          expect(net_kobo + vat_kobo).toBe(amount_kobo);
          post('vat_payable', vat_kobo);
          if (section !== null) post(`revenue.${section}`, net_kobo);
          else post(provider === null ? 'refunds' : `passthrough_payable.${provider}`, amount_kobo);
        }
        expect(nonZero(posted)).toStrictEqual(nonZero(postedBy(events)));
        const sum = (amounts: readonly number[]) => amounts.reduce((total, kobo) => total + kobo, 0);
        const totals = vatTotals(lines);
        expect(sum(totals.map(({ vat_kobo }) => vat_kobo))).toBe(sum(lines.map(({ vat_kobo }) => vat_kobo)));
        expect(sum(totals.map(({ gross_kobo }) => gross_kobo))).toBe(0 - sum(movements.map(({ amount_kobo }) => amount_kobo)));
        for (const { net_kobo, vat_kobo, gross_kobo } of totals) expect(net_kobo + vat_kobo).toBe(gross_kobo);
        const keyed = movements.map((movement) => [order.next().value, movement] as const);
        const shuffled = keyed.toSorted(([one], [other]) => one - other).map(([, movement]) => movement);
        expect(statementLines(shuffled)).toStrictEqual(lines);
      }),
    );
  });
});
