import { describe, expect, it } from '@jest/globals';
import { validateBody } from '../../../http/validating/validation.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { toNaira } from '../../../kernel/money.js';
import { DEFAULT_PRICE_BOOK, FEE_KEYS } from '../domain/price-book.js';
import { feesInKobo, PriceBookDto } from './pricing.dto.js';

const fees: Readonly<Record<string, unknown>> = Object.fromEntries(
  FEE_KEYS.map((key) => [key, toNaira(DEFAULT_PRICE_BOOK.fees_kobo[key])]),
);

function errorsOf(sent: object): unknown {
  try {
    validateBody(PriceBookDto, { fees: sent });
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors;
    throw error;
  }
  return undefined;
}

describe('the fees sent to publish a price book', () => {
  it('are converted to kobo if every fee is sent', () => {
    expect(feesInKobo(validateBody(PriceBookDto, { fees }))).toStrictEqual(DEFAULT_PRICE_BOOK.fees_kobo);
  });

  it.each(FEE_KEYS)('are refused without %s', (key) => {
    const { [key]: _removed, ...rest } = fees;
    expect(errorsOf(rest)).toStrictEqual({ [`fees.${key}`]: [`The fees.${key.replaceAll('_', ' ')} field is required.`] });
  });

  it.each([0, 7.5, 100, null, undefined])('may come with the rate of VAT %p', (vat_percent) => {
    expect(validateBody(PriceBookDto, { fees, vat_percent }).vat_percent).toBe(vat_percent);
  });

  it.each([-1, 100.01, 7.555, '7.5', true])('are refused with the rate of VAT %p', (vat_percent) => {
    expect(() => validateBody(PriceBookDto, { fees, vat_percent })).toThrow(
      new ValidationFailed({ vat_percent: ['The vat percent field must be a number from 0 to 100 with at most two decimals.'] }),
    );
  });

  it('are refused with an unknown fee or a fee that is not an amount', () => {
    expect(errorsOf({ ...fees, 'svc_fee.shoe_size': 1, 'svc_fee.identty': 1, 'passthrough.bvn': null })).toStrictEqual({
      'fees.svc_fee.shoe_size': ['The fees.svc fee.shoe size field is not known.'],
      'fees.svc_fee.identty': ['The fees.svc fee.identty field is not known. Did you mean fees.svc_fee.identity?'],
      'fees.passthrough.bvn': ['The fees.passthrough.bvn field must be an amount from 0 to 1000000 with at most two decimals.'],
    });
  });
});
