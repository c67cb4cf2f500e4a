import { MAX_KOBO, toNaira } from '../../kernel/money.js';
import { type Rejection } from '../../platform/event-sourcing/decider.js';
import { type RejectionResponses } from '../../http/errors/error-responses.js';
import { type WalletRejectionCode } from './domain/wallet-command.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const walletRejectionResponses: RejectionResponses<WalletRejectionCode> = {
  insufficient_balance: { code: 'insufficient_balance', data: shortfall },
  reference_reused: { code: 'conflict', message: 'That reference was already used for another credit, a reversal or a payout.' },
  credit_history_moved: { code: 'unavailable', message: 'The wallet is busy. Send the same request again.' },
  credit_not_reversible: {
    code: 'conflict',
    message: 'The wallet has no such credit, or its balance or what is left of the credit is lower than the amount.',
    data: ({ reversible_kobo }) => ({ reversible_amount: toNaira(reversible_kobo as number) }),
  },
  payout_too_high: {
    code: 'conflict',
    message: 'The balance is lower than the amount.',
    data: ({ available_kobo }) => ({ available_amount: toNaira(available_kobo as number) }),
  },
  lookup_unknown: { code: 'lookup_not_found' },
  charge_open: {
    code: 'conflict',
    message: 'That lookup is neither settled nor refunded yet. Send the same request again in two minutes.',
  },
  charge_refunded: { code: 'conflict', message: 'That lookup was already refunded.' },
  key_history_moved: { code: 'unavailable', message: 'The wallet is busy. Send the same request again.' },
  price_changed: { code: 'unavailable', message: 'Other prices took effect during the call. Send the same request again.' },
  key_in_use: { code: 'idempotency_in_progress' },
  response_lost: {
    code: 'unavailable',
    message:
      'A lookup with this Idempotency-Key was charged within the last 24 hours, and its stored response is lost. Nothing was charged again. Ask the operator to compensate that lookup, and look up with a new key.',
  },
  balance_limit: { code: 'conflict', message: `A wallet holds at most NGN ${toNaira(MAX_KOBO)}, its open charges included. Credit less.` },
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
