import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSameDecimal } from './exact-decimal.js';
import { InexactNumber, parseJson, withoutByteOrderMark } from './json.js';
import { unstorable } from './storable.js';

/** Generates numbers as JSON writes them: any digits, before and after the point, and exponents. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,19}$/), fc.constantFrom('70368744177663', '70368744177664', '90071992547409')),
    fc.option(fc.oneof(fc.stringMatching(/^\d{1,20}$/), fc.stringMatching(/^\d{1,2}$/)), { nil: undefined }),
    fc.option(fc.stringMatching(/^[eE][+-]?\d{1,3}$/), { nil: undefined, freq: 4 }),
  )
  .map(([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent ?? ''}`);

describe('a JSON text', () => {
  it('has numbers that are printed as they were sent, or that are marked as inexact', () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const [, nested] = parseJson(`["x", {"a": ${text}}]`) as [string, { a: number | InexactNumber }];
        if (nested.a instanceof InexactNumber) {
          expect(nested.a.text).toBe(text);
          expect(isSameDecimal(text, String(Number(text)))).toBe(false);
        } else expect(isSameDecimal(text, JSON.stringify(nested.a))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is otherwise parsed as JSON.parse parses it, whatever digits its strings have', () => {
    fc.assert(
      fc.property(fc.json(), fc.stringMatching(/^\d{16,20}e\d$/), (json, digits) => {
        const text = `[${json}, "${digits}"]`;
        expect(unmarked(parseJson(text))).toStrictEqual(JSON.parse(text));
      }),
    );
  });

  it('that is not valid is refused as JSON.parse refuses it', () => {
    for (const text of ['', '{', '[1,]', '01', '[1e5', '{"a":1234567890123456']) expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('with a number that is too precise at any depth is refused under the path of the number', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b_c', '__proto__', 'constructor'), { minLength: 1, maxLength: 30 }), (path) => {
        const text = `${path.map((key) => `{"${key}":`).join('')}60000000000000.001${'}'.repeat(path.length)}`;
        expect(Object.entries(unstorable(parseJson(text)))).toStrictEqual([
          [path.join('.'), [`The ${path.join('.').replaceAll('_', ' ')} field must have at most 15 significant digits.`]],
        ]);
      }),
    );
  });

  it('that is nested deeper than the stack allows is parsed, for validation to refuse its depth', () => {
    const text = `${'['.repeat(100_000)}1234567890123456.7${']'.repeat(100_000)}`;
    expect(Object.values(unstorable(parseJson(text))).flat()).toStrictEqual([expect.stringContaining('nested deeper than 32 levels')]);
  });
});

function unmarked(value: unknown): unknown {
  if (value instanceof InexactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unmarked(item)]));
}

describe('a text that begins with a byte order mark', () => {
  it('is JSON without it, and only the first mark is dropped', () => {
    expect(parseJson(withoutByteOrderMark('\ufeff{"a":"\ufeff"}'))).toStrictEqual({ a: '\ufeff' });
    expect(withoutByteOrderMark('\ufeff')).toBe('');
    expect(() => parseJson(withoutByteOrderMark('\ufeff\ufeff{}'))).toThrow(SyntaxError);
  });
});
