import fc from 'fast-check';
import { vatPercentOf } from '../../../src/kernel/vat.js';
import { Rejection } from '../../../src/platform/event-sourcing/decider.js';
import { NO_DEDUCTIONS } from '../../../src/contexts/wallet/domain/deductions.js';
import { CREDIT_KINDS, type CreditKind, type Deductions, type WalletEvent } from '../../../src/contexts/wallet/domain/events.js';
import { walletDecider, type WalletState } from '../../../src/contexts/wallet/domain/wallet.js';
import { type WalletCommand } from '../../../src/contexts/wallet/domain/wallet-command.js';
import { ALL_SEARCHED, NOTHING_SEARCHED } from './searched-entries.js';

const FEES = ['svc_fee.identity', 'svc_fee.farms', 'passthrough.bvn', 'passthrough.credit_bureau'];

/** The commands run on the whole history, so the search before them has nothing to find. */
const NOTHING_FOUND = { reversed_kobo: 0, isOtherReference: false };

/** Commands with any fees are verified with these prices. */
export const ANY_PRICES = { faultOf: () => undefined };

const isNotBlank = (text: string): boolean => text.trim() !== '';

/** Generates up to 60 commands to one wallet, executed in order at `times`; the wallet rejects some of them. */
export function walletCommands(
  partner_id = 'p1',
  times: readonly [string, ...string[]] = ['2026-11-21T10:00:00.000Z'],
): fc.Arbitrary<WalletCommand[]> {
  const id = fc.integer({ min: 0, max: 5 }).map((number) => `l${number}`);
  const fee = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...FEES) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii' }).filter(isNotBlank) },
  );
  // A few references, so that some credits are reversed, and odd ones.
  const reference = fc.oneof(fc.constantFrom('r1', 'r2', 'r3'), fc.string({ unit: 'grapheme' }).filter(isNotBlank));
  const breakdowns = fc.dictionary(fee, fc.integer({ min: 0, max: 200_00 }));
  const command = fc.oneof(
    fc
      .record({
        amount_kobo: fc.integer({ min: 1, max: 2_000_00 }),
        reference,
        credit_kind: fc.constantFrom(...CREDIT_KINDS),
        parts: fc.tuple(fc.nat(4), fc.nat(4)),
      })
      .map(({ parts, ...credit }) => ({
        kind: 'credit' as const,
        ...ALL_SEARCHED,
        reason: 'why',
        deductions: deductionsOf(credit, parts),
        ...credit,
      })),
    fc
      .record({
        lookups: fc.uniqueArray(
          fc.record({ lookup_id: id, rupa_id: fc.constant('rp-1'), breakdown_kobo: breakdowns, grants_consent: fc.boolean() }),
          { minLength: 1, maxLength: 4, selector: ({ lookup_id }) => lookup_id },
        ),
        allow_partial: fc.boolean(),
        vat_percent: fc.constantFrom(0, 7.5, 10),
      })
      .map((charge) => ({ kind: 'charge' as const, source: 's', price_book_version: 1, key_id: 'k1', ...charge })),
    fc
      .record({
        credit_reference: reference,
        reference,
        amount_kobo: fc.option(fc.integer({ min: 1, max: 2_000_00 })),
        reason: fc.constant('a wrong credit'),
      })
      .map((reversal) => ({ kind: 'reverse' as const, ...NOTHING_SEARCHED, found: NOTHING_FOUND, ...reversal })),
    fc
      .record({ amount_kobo: fc.integer({ min: 1, max: 1_000_00 }), reference })
      .map((payout) => ({ kind: 'pay_out' as const, ...ALL_SEARCHED, reason: 'asked back', ...payout })),
    id.map((lookup_id) => ({
      kind: 'compensate' as const,
      lookup_id,
      reason: 'a complaint',
      found: { debit_revision: -1, rupa_id: '', amount_kobo: 0, breakdown_kobo: {}, vat_percent: 0 },
      ...NOTHING_SEARCHED,
    })),
    fc.array(id).map((lookup_ids) => ({ kind: 'settle' as const, lookup_ids })),
    fc.array(id).map((lookup_ids) => ({ kind: 'refund' as const, lookup_ids, reason: 'x' })),
  );
  const at = (index: number, of: number): string => times[Math.floor((index * times.length) / of)] ?? times[0];
  return fc
    .array(command, { maxLength: 60, size: 'max' })
    .map((commands) => commands.map((each, index) => ({ ...each, partner_id, at: at(index, commands.length), actor: 'test' })));
}

/** Returns up to four tenths of a payment as its bank fee, and as its withheld tax. */
function deductionsOf(
  { amount_kobo, credit_kind }: { amount_kobo: number; credit_kind: CreditKind },
  tenths: [number, number],
): Deductions {
  const [bank_fee_kobo, withheld_tax_kobo] = tenths.map((each) => Math.floor((amount_kobo * each) / 10)) as [number, number];
  return credit_kind === 'payment' ? { bank_fee_kobo, withheld_tax_kobo } : NO_DEDUCTIONS;
}

/** Adds to a compensation what its caller finds; a lookup that was never charged is rejected before the wallet decides. */
function searched(command: WalletCommand, events: readonly (WalletEvent & { revision: bigint })[]): WalletCommand {
  if (command.kind !== 'compensate') return command;
  const debit = events.findLast((event) => event.type === 'WalletDebited' && event.data.lookup_id === command.lookup_id);
  if (debit?.type !== 'WalletDebited') throw new Rejection('lookup_unknown');
  const { rupa_id, amount_kobo, breakdown_kobo } = debit.data;
  const vat_percent = vatPercentOf(debit.data);
  return { ...command, found: { debit_revision: Number(debit.revision), rupa_id, amount_kobo, breakdown_kobo, vat_percent } };
}

interface History {
  /** The commands that were not rejected, with what their callers find. */
  readonly accepted: WalletCommand[];
  readonly events: (WalletEvent & { revision: bigint })[];
  readonly state: WalletState;
}

/** Returns the events and the state after the commands, without those that are rejected. */
export function runWallet(commands: readonly WalletCommand[]): History {
  const accepted: WalletCommand[] = [];
  const events: (WalletEvent & { revision: bigint })[] = [];
  let state = walletDecider.initialState;
  for (const each of commands) {
    try {
      const command = searched(each, events);
      for (const event of walletDecider.decide(command, state)) {
        const recorded = { ...event, revision: BigInt(events.length) };
        events.push(recorded);
        state = walletDecider.evolve(state, recorded);
      }
      accepted.push(command);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
    }
  }
  return { accepted, events, state };
}
