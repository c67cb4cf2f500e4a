import { type Refusal, type RefusalCode } from '../platform/event-sourcing/decider.js';
import { toNaira } from '../kernel/money.js';

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly data?: (facts: Refusal['facts']) => object;
}

/** Interface 7, to the letter, and admin.md: the one place where an error code gets a status. */
const answers: Readonly<Record<RefusalCode, Answer>> = {
  insufficient_balance: { status: 402, message: 'Insufficient wallet balance for this lookup.', data: shortfall },
  farmer_unknown: { status: 404, message: 'No farmer found for that Rupa ID.' },
  consent_unknown: { status: 404, message: 'No consent record found for that Rupa ID.' },
  partner_unknown: { status: 404, message: 'No partner found for that id.' },
  api_key_unknown: { status: 404, message: 'No API key found for that id.' },
  webhook_unknown: { status: 404, message: 'No webhook endpoint found for that id.' },
  delivery_unknown: { status: 404, message: 'No delivery found for that id.' },
  farmer_erased: { status: 409, message: 'This Rupa ID was erased and cannot be registered again.' },
  farmer_mode_fixed: { status: 409, message: 'The mode of a farmer is fixed at registration.' },
  reference_reused: { status: 409, message: 'That reference was already used for a credit of another amount.' },
  credit_history_moved: { status: 503, message: 'The wallet is busy. Send the same request again.' },
  balance_limit: { status: 409, message: 'The wallet cannot hold that much.' },
};

export function answerTo(refusal: Refusal): { status: number; message: string; data: object | undefined } {
  const { status, message, data } = answers[refusal.code];
  return { status, message, data: data?.(refusal.facts) };
}

/** Decisions, "Prices": amounts in NGN. */
function shortfall(facts: Refusal['facts']): object {
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
