import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSameDecimal } from '../kernel/exact-decimal.js';
import { parseJson } from '../kernel/json.js';
import { parseNaira, toKobo, toNaira } from '../kernel/money.js';
import { ValidationFailed } from '../kernel/validation-failed.js';
import { validateBody } from '../http/validating/validation.js';
import { ReportDto } from './reports/report.dto.js';
import { FarmerDto, recordOf } from './farmers/recording/farmer-record.dto.js';
import { importFarmers } from './farmers/importing/import-farmers.js';
import { DEFAULT_PRICE_BOOK } from './pricing/domain/price-book.js';
import { feesInKobo, PriceBookDto } from './pricing/publishing/pricing.dto.js';
import { CreditDto } from './wallet/wallet.dto.js';

const now = new Date('2026-11-21T10:00:00Z');
const fees = Object.fromEntries(Object.entries(DEFAULT_PRICE_BOOK.fees_kobo).map(([key, kobo]) => [key, toNaira(kobo)]));

/** A place at which a request or a file has an amount. It returns what is recorded, in the form in which it is shown again. */
interface Entry {
  /** Returns the JSON text with the amount in it. */
  readonly text: (amount: string) => string;
  readonly shown: (body: unknown) => unknown;
  readonly field: string;
}

const report = (body: unknown) => validateBody(ReportDto, body, { accountType: 'bank', now });
const loan = (amount: string) =>
  `{"rupa_id":"rp-1","outstanding_loans":{"svc_loans":[{"loan_id":"L","amount":${amount},"outstanding":1,"currency":"NGN","disbursed_at":"2026-01-01","status":"active"}]}}`;

const entries: Readonly<Record<string, Entry>> = {
  'a credit': {
    text: (amount) => `{"amount":${amount},"reference":"r"}`,
    shown: (body) => toNaira(toKobo(validateBody(CreditDto, body).amount)),
    field: 'amount',
  },
  'a report': {
    text: (amount) => `{"rupa_id":"rp-1","event":"loan_disbursed","amount":${amount}}`,
    shown: (body) => toNaira(toKobo(report(body).amount ?? NaN)),
    field: 'amount',
  },
  'a payload': {
    text: (amount) => `{"rupa_id":"rp-1","event":"loan_disbursed","payload":{"fee":[{"ngn":${amount}}]}}`,
    shown: (body) => (report(body).payload as { fee: { ngn: number }[] }).fee[0]?.ngn,
    field: 'payload.fee.0.ngn',
  },
  'a price book': {
    text: (amount) => JSON.stringify({ fees: { ...fees, 'svc_fee.identity': '?' } }).replace('"?"', amount),
    shown: (body) => toNaira(feesInKobo(validateBody(PriceBookDto, body))['svc_fee.identity']),
    field: 'fees.svc_fee.identity',
  },
  'a farmer’s record': {
    text: (amount) => loan(amount).replace('"rupa_id":"rp-1",', ''),
    shown: (body) => recordOf(validateBody(FarmerDto, body)).outstanding_loans?.svc_loans?.[0]?.amount,
    field: 'outstanding_loans.svc_loans.0.amount',
  },
};

/** Generates decimal text around every limit: digits after the point, sizes, exponents. */
const decimal = fc
  .tuple(
    fc.oneof(
      fc.nat().map(String),
      fc.stringMatching(/^[1-9]\d{10,16}$/),
      fc.integer({ min: -3, max: 3 }).map((near) => String(2 ** 46 + near)),
      fc.constant('999999'),
    ),
    fc.oneof(
      fc.constant(''),
      fc.stringMatching(/^\.\d{1,2}$/),
      fc.stringMatching(/^\.\d0{1,20}$/),
      fc.stringMatching(/^\.\d{3,20}$/),
      fc.stringMatching(/^e[+-]?\d{1,2}$/),
    ),
  )
  .map(([whole, rest]) => whole + rest);

describe.each(Object.entries(entries))('an amount in %s', (_name, { text, shown, field }) => {
  it('is shown exactly as it was sent, or is refused under the name of its field, whatever its digits', () => {
    fc.assert(
      fc.property(decimal, (amount) => {
        let printed: string | undefined;
        try {
          printed = JSON.stringify(shown(parseJson(text(amount))));
        } catch (error) {
          if (!(error instanceof ValidationFailed)) throw error;
          expect(Object.keys(error.errors)).toStrictEqual([field]);
        }
        if (printed !== undefined && !isSameDecimal(printed, amount)) expect(printed).toBe(amount);
      }),
      { numRuns: 500 },
    );
  });

  it('is accepted with two decimals, trailing zeros or an exponent, if it is exact', () => {
    for (const amount of ['1', '0.01', '99.90', '12.5000', '1e2', '1.5E+1', '9999.99'])
      expect(isSameDecimal(JSON.stringify(shown(parseJson(text(amount)))), amount)).toBe(true);
  });

  it('is refused beyond what JavaScript’s numbers show exactly', () => {
    for (const amount of [
      '80000000000000.01',
      '70368744177664.01',
      '70000000000000.001',
      '1e400',
      '9007199254740993',
      '0.1000000000000000055',
    ])
      expect(() => shown(parseJson(text(amount)))).toThrow(ValidationFailed);
  });
});

describe('an amount', () => {
  it('in a line of an import is refused as in a request', async () => {
    const refused: string[] = [];
    const result = await importFarmers(['80000000000000.01', '70000000000000.001', '1e400', '250.25'].map(loan), {
      actor: 'test',
      record: () => Promise.resolve({ created: true, changed: true }),
      onRejected: (_line, reason) => refused.push(reason),
    });
    expect(result).toMatchObject({ registered: 1, refused: 3 });
    for (const reason of refused)
      expect(reason).toMatch(
        /^The outstanding loans\.svc loans\.0\.amount field (must have at most 15 significant digits|is too large a number)\.$/,
      );
  });

  it('on the command line is taken exactly, or refused', () => {
    fc.assert(
      fc.property(decimal, (amount) => {
        const kobo = parseNaira(amount);
        if (kobo === undefined) return;
        try {
          validateBody(CreditDto, { amount: toNaira(kobo), reference: 'r' });
        } catch {
          return;
        }
        expect(isSameDecimal(amount, `${kobo}e-2`)).toBe(true);
        expect(isSameDecimal(String(toNaira(kobo)), amount)).toBe(true);
      }),
    );
  });
});
