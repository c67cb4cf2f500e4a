import { Count, Decimal, EXAMPLE, ListOf, Naira, Nested, OneOf, RupaId, Schema, Text } from '../../../http/openapi/properties.js';
import { ERRORS } from '../../../http/errors/error-codes.js';
import { LIST_OUTCOMES, type ListOutcome } from './list-payload.js';
import { LOOKUP, LookupResult } from './lookup-responses.dto.js';

const FOUND = { rupa_id: EXAMPLE.rupa_id, outcome: 'found', lookup: LOOKUP };
const NOBODY = { rupa_id: 'rp-nobody', outcome: 'not_found', code: 'farmer_not_found', message: ERRORS.farmer_not_found.message };
const SUMMARY = {
  requested: 2,
  found: 1,
  not_found: 1,
  not_charged: 0,
  failed: 0,
  amount_charged: LOOKUP.billing.amount_charged,
  wallet_balance: 98700,
  currency: 'NGN',
};

@Schema('ListedLookup')
export class ListedLookup {
  @RupaId() readonly rupa_id: string;
  @OneOf(
    LIST_OUTCOMES,
    '`found`: billed, `lookup` is there. `not_found`: no farmer has the id. `not_charged`: the balance had ended. `failed`: something went wrong on our side; a charge is refunded. Only `found` costs anything.',
  )
  readonly outcome: ListOutcome;
  @Text({ description: 'The error code of what the outcome stands for; absent if it is `found`.', required: false })
  readonly code?: string;
  @Text({ description: 'For people; absent if the outcome is `found`.', required: false })
  readonly message?: string;
  @Nested(LookupResult, {
    description: 'The same as the `data` of a lookup of this farmer alone; only if the outcome is `found`.',
    required: false,
  })
  readonly lookup?: LookupResult;
}

@Schema('LookupListSummary')
export class LookupListSummary {
  @Count('Results, with the farmers that repeat.') readonly requested: number;
  @Count() readonly found: number;
  @Count() readonly not_found: number;
  @Count() readonly not_charged: number;
  @Count() readonly failed: number;
  @Naira('NGN; the sum of `amount_charged` of the lookups, each farmer once.') readonly amount_charged: number;
  @Decimal('NGN, right after the charges.') readonly wallet_balance: number;
  @OneOf(['NGN']) readonly currency: 'NGN';
}

/** `data` of a call that looks many farmers up (decisions, "Many at once"). */
@Schema('LookupListResult', { results: [FOUND, NOBODY], summary: SUMMARY })
export class LookupListResult {
  @ListOf(ListedLookup, 'One for each Rupa ID, in the order asked.') readonly results: readonly ListedLookup[];
  @Nested(LookupListSummary) readonly summary: LookupListSummary;
}
