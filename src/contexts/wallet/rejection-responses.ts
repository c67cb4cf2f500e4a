import { MAX_KOBO, toNaira } from '../../kernel/money.js';
import { type Rejection } from '../../platform/event-sourcing/decider.js';
import { type RejectionResponses } from '../../http/error-responses.js';
import { type WalletRejectionCode } from './domain/rejections.js';

/** Responses to rejections. The messages are given by the interface (section 7) to the letter, and by admin.md. */
export const walletRejectionResponses: RejectionResponses<WalletRejectionCode> = {
  insufficient_balance: { status: 402, message: 'Insufficient wallet balance for this lookup.', data: shortfall },
  reference_reused: { status: 409, message: 'That reference was already used for another credit or a reversal.' },
  credit_history_moved: { status: 503, message: 'The wallet is busy. Send the same request again.' },
  credit_not_reversible: {
    status: 409,
    message: 'The balance, or what is left of that credit, is lower than the amount.',
    data: ({ reversible_kobo }) => ({ reversible_amount: toNaira(reversible_kobo as number) }),
  },
  lookup_unknown: { status: 404, message: 'No lookup found for that id.' },
  charge_open: { status: 409, message: 'That lookup is neither settled nor refunded yet. Send the same request again in two minutes.' },
  charge_refunded: { status: 409, message: 'That lookup was already refunded.' },
  balance_limit: { status: 409, message: `A wallet holds at most NGN ${toNaira(MAX_KOBO)}, its open charges included. Credit less.` },
};

/** Returns `data` of a 402, with amounts in NGN (decisions, "Prices"). */
function shortfall(facts: Rejection['facts']): object {
  const { required_kobo, available_kobo, breakdown_kobo } = facts as {
    required_kobo: number;
    available_kobo: number;
    breakdown_kobo: Record<string, number>;
  };
  return {
    required_amount: toNaira(required_kobo),
    available_amount: toNaira(available_kobo),
    shortfall: toNaira(required_kobo - available_kobo),
    currency: 'NGN',
    breakdown: Object.fromEntries(Object.entries(breakdown_kobo).map(([key, fee]) => [key, toNaira(fee)])),
  };
}
