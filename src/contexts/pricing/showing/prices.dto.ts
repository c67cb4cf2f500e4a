import { Flag, Integer, Naira, Nested, OneOf, Schema, Texts } from '../../../http/openapi/properties.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { FEES_EXAMPLE, VatPercent, WholeBook } from './price-book-responses.dto.js';

@Schema('LookupPrice', {
  sections: ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'],
  amount: 500,
})
export class LookupPrice {
  @Texts(SECTIONS, 'Every section that you may read.') readonly sections: readonly string[];
  @Naira(
    'NGN that a lookup of these sections costs: their fees, and the pass-through of bvn and nin. A farmer with a report of a credit bureau costs `passthrough.credit_bureau` more.',
  )
  readonly amount: number;
}

/** `data` of GET /v1/rupa/prices (decisions, "Your account"). */
@Schema('Prices', {
  version: 1,
  currency: 'NGN',
  fees: FEES_EXAMPLE,
  vat_percent: 7.5,
  prices_include_vat: true,
  lookup: { sections: ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'], amount: 500 },
  credit_value: 10,
})
export class Prices {
  @Integer('Version of the price book, which every lookup states.') readonly version: number;
  @OneOf(['NGN']) readonly currency: 'NGN';
  @WholeBook() readonly fees: Readonly<Record<string, number>>;
  @VatPercent('Rate of VAT in percent. The fees of sections include it; the pass-through fees are disbursements without VAT.')
  readonly vat_percent: number;
  @Flag('Always true: VAT is contained in the fees, and nothing is added to them.')
  readonly prices_include_vat: true;
  @Nested(LookupPrice) readonly lookup: LookupPrice;
  @Naira('NGN that a credit stands for.') readonly credit_value: number;
}
