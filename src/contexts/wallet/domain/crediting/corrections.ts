import { MAX_KOBO } from '../../../../kernel/money.js';
import { recordedVat } from '../../../../kernel/vat.js';
import { recordedDeductions, reversedDeductions } from '../deductions.js';
import { type WalletEvent } from '../events.js';
import { type SearchedEntries, type WalletCommand, WalletRejection } from '../wallet-command.js';
import { manualEntry, type WalletState } from '../wallet-state.js';

type CommandOf<Kind extends WalletCommand['kind']> = Extract<WalletCommand, { kind: Kind }>;

/**
 * A state that is folded from the last entries does not know the earlier ones, so the caller of some commands searches those. Entries
 * after the search and before the folded ones were not searched, and what the command asks for could be among them.
 * @throws Rejection `credit_history_moved`
 */
export function assertSearched({ checked_to_revision }: Pick<SearchedEntries, 'checked_to_revision'>, { known_from }: WalletState): void {
  if (known_from !== undefined && known_from > checked_to_revision + 1n) throw new WalletRejection('credit_history_moved');
}

/** The charges that are open count, too, so that each of them can still be refunded. @throws Rejection `balance_limit` */
export function assertHolds({ balance_kobo, open }: WalletState, amount_kobo: number): void {
  const openKobo = [...open.values()].reduce((sum, charge) => sum + charge.amount_kobo, 0);
  if (balance_kobo + openKobo + amount_kobo > MAX_KOBO) throw new WalletRejection('balance_limit');
}

/** Takes back a credit, or a part of it, as far as the balance holds it (admin, "Books"). */
export function reverse(command: CommandOf<'reverse'>, state: WalletState): readonly WalletEvent[] {
  const { credit_reference, amount_kobo: asked, reference, reason, found, checked_to_revision } = command;
  const repeated = found.reversal ?? state.reversals.get(reference);
  if (repeated) {
    if (repeated.credit_reference === credit_reference && (asked === null || asked === repeated.amount_kobo)) return [];
    throw new WalletRejection('reference_reused', { reference });
  }
  if (found.isOtherReference || state.credits.has(reference) || state.payouts.has(reference))
    throw new WalletRejection('reference_reused', { reference });
  assertSearched(command, state);
  const credit = found.credit ?? state.credits.get(credit_reference);
  const reversedSince = [...state.reversals.values()].filter(
    (each) => each.credit_reference === credit_reference && each.revision > checked_to_revision,
  );
  const reversed_kobo = reversedSince.reduce((sum, { amount_kobo }) => sum + amount_kobo, found.reversed_kobo);
  const left_kobo = (credit?.amount_kobo ?? 0) - reversed_kobo;
  const reversible_kobo = Math.min(left_kobo, state.balance_kobo);
  const amount_kobo = asked ?? left_kobo;
  if (!credit || amount_kobo === 0 || amount_kobo > reversible_kobo)
    throw new WalletRejection('credit_not_reversible', { credit_reference, reversible_kobo });
  const data = { ...manualEntry(command, state, -amount_kobo), amount_kobo, credit_reference, kind: credit.kind, reference, reason };
  const deducted = recordedDeductions(reversedDeductions(credit, reversed_kobo, amount_kobo));
  return [{ type: 'CreditReversed', data: { ...data, ...deducted } }];
}

/** Pays out a part of the balance or all of it, once per reference (finance, "Money in and out"). */
export function payOut(command: CommandOf<'pay_out'>, state: WalletState): readonly WalletEvent[] {
  const { amount_kobo, reference, reason } = command;
  const repeated = state.payouts.get(reference);
  if (repeated?.amount_kobo === amount_kobo) return [];
  if (repeated ?? (state.credits.has(reference) || state.reversals.has(reference)))
    throw new WalletRejection('reference_reused', { reference });
  assertSearched(command, state);
  if (amount_kobo > state.balance_kobo) throw new WalletRejection('payout_too_high', { available_kobo: state.balance_kobo });
  return [{ type: 'WalletPaidOut', data: { ...manualEntry(command, state, -amount_kobo), amount_kobo, reference, reason } }];
}

/** Gives back the charge of a settled lookup, at most once. The wallet's state knows every open charge, however old. */
export function compensate(command: CommandOf<'compensate'>, state: WalletState): readonly WalletEvent[] {
  const { lookup_id, reason, found } = command;
  const { given_back, vat_percent, ...charge } = found;
  const before = given_back ?? state.given_back.get(lookup_id)?.how;
  if (before === 'compensated') return [];
  if (before === 'refunded') throw new WalletRejection('charge_refunded', { lookup_id });
  if (state.open.has(lookup_id)) throw new WalletRejection('charge_open', { lookup_id });
  assertSearched(command, state);
  assertHolds(state, charge.amount_kobo);
  const data = { ...manualEntry(command, state, charge.amount_kobo), lookup_id, ...charge, ...recordedVat(vat_percent), reason };
  return [{ type: 'LookupCompensated', data }];
}
