import { ERRORS, type ErrorCode } from '../../../http/errors/error-codes.js';
import { toNaira } from '../../../kernel/money.js';
import { type BilledLookups, type LookupOutcome } from './lookup-billing.js';

/** Outcomes of the lookups of a list (decisions, "Many at once"). */
export const LIST_OUTCOMES = ['found', 'not_found', 'not_charged', 'failed'] as const;
export type ListOutcome = (typeof LIST_OUTCOMES)[number];
export type ListCounts = Readonly<Record<ListOutcome, number>>;

/** The outcome of one lookup of a list, without the farmer's data. */
interface Outcome {
  readonly outcome: ListOutcome;
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** A list's response without the farmers' data. It is stored as it is, so that the response to a retry has the same bytes. */
export interface ListHead {
  /** In the order of the different Rupa IDs. */
  readonly outcomes: readonly Outcome[];
  readonly amount_charged_kobo: number;
  readonly balance_kobo: number;
}

/** The farmers' data by number: `data` of each lookup's response, as JSON. */
export type Pieces = ReadonlyMap<number, string>;

/** The Rupa IDs of a list. */
export interface AskedIds {
  /** As they were asked: some may repeat. */
  readonly asked: readonly string[];
  /** Each once, in the order in which they first were asked. */
  readonly rupa_ids: readonly string[];
}

const NOT_FOUND = failed('not_found', 'farmer_not_found');
const NOT_CHARGED = failed('not_charged', 'insufficient_balance');

export function headOf({ outcomes }: Pick<BilledLookups, 'outcomes'>, balance_kobo: number): ListHead {
  const amount_charged_kobo = outcomes.reduce((sum, each) => sum + (each.kind === 'found' ? each.amount_kobo : 0), 0);
  return { outcomes: outcomes.map(shown), amount_charged_kobo, balance_kobo };
}

export function piecesOf({ outcomes }: Pick<BilledLookups, 'outcomes'>): Pieces {
  return new Map(outcomes.flatMap((each, index) => (each.kind === 'found' ? [[index, each.json] as const] : [])));
}

/** Returns `data` of a list's response as JSON text, and how many lookups have each outcome. A farmer whose piece is missing is not found. */
export function listPayload(
  { outcomes, amount_charged_kobo, balance_kobo }: ListHead,
  pieces: Pieces,
  { asked, rupa_ids }: AskedIds,
): { readonly json: string; readonly counts: ListCounts } {
  const numbers = new Map(rupa_ids.map((rupa_id, index) => [rupa_id, index]));
  const counts: Record<ListOutcome, number> = { found: 0, not_found: 0, not_charged: 0, failed: 0 };
  const results = asked.map((rupa_id) => {
    const index = numbers.get(rupa_id) ?? -1;
    const piece = pieces.get(index);
    const { outcome, ...why } = outcomes[index]?.outcome === 'found' && piece === undefined ? NOT_FOUND : (outcomes[index] ?? NOT_FOUND);
    counts[outcome] += 1;
    const result = JSON.stringify({ rupa_id, outcome, ...why });
    return outcome === 'found' ? `${result.slice(0, -1)},"lookup":${piece}}` : result;
  });
  const summary = {
    requested: asked.length,
    ...counts,
    amount_charged: toNaira(amount_charged_kobo),
    wallet_balance: toNaira(balance_kobo),
    currency: 'NGN',
  };
  return { json: `{"results":[${results.join(',')}],"summary":${JSON.stringify(summary)}}`, counts };
}

function shown(outcome: LookupOutcome): Outcome {
  switch (outcome.kind) {
    case 'found':
      return { outcome: 'found' };
    case 'not_found':
      return NOT_FOUND;
    case 'not_charged':
      return NOT_CHARGED;
    case 'failed':
      return failed('failed', outcome.code);
  }
}

function failed(outcome: ListOutcome, code: ErrorCode): Outcome {
  return { outcome, code, message: ERRORS[code].message };
}
