import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  assertInBounds,
  type Bound,
  id,
  integer,
  kobo,
  listOf,
  nullable,
  oneOf,
  outOfBounds,
  requiredText,
  rupaId,
  text,
} from './bounds.js';
import { ValidationFailed } from './validation-failed.js';

const character = fc.constantFrom('a', 'ẹ', '🌾', ' ', '\n', '"', '\\');
const textOf = (length: number): fc.Arbitrary<string> =>
  fc.array(character, { minLength: length, maxLength: length }).map((all) => all.join(''));
const ILL_FORMED = ['\0', 'a\0b', '\ud83c', '\udf3e', '\udf3e\ud83c'];
const NO_TEXT = [1, true, {}, [], ['a'], Symbol('a')];

describe('a bound of text', () => {
  it('accepts any well-formed text up to its length, which counts characters', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 40 }).chain(textOf), (value) => text(40)(value) === undefined));
    fc.assert(
      fc.property(fc.integer({ min: 41, max: 90 }).chain(textOf), (value) => text(40)(value) === 'must not be greater than 40 characters'),
    );
  });

  it.each([...ILL_FORMED, ...NO_TEXT, null, undefined])('refuses %p', (value) => {
    expect(text()(value)).toEqual(expect.any(String));
    expect(requiredText()(value)).toEqual(expect.any(String));
    expect(id(value)).toEqual(expect.any(String));
    expect(rupaId(value)).toEqual(expect.any(String));
  });

  it('refuses blank text only if it is required', () => {
    for (const blank of ['', ' ', '\t\n', '\u00a0', '\u2003']) {
      expect(text()(blank)).toBeUndefined();
      expect(requiredText()(blank)).toBe('is required');
      expect(nullable(requiredText())(blank)).toBe('is required');
    }
    expect(nullable(requiredText())(null)).toBeUndefined();
  });
});

describe('a bound of kobo', () => {
  it('accepts safe integers within it and nothing else', () => {
    const bound = kobo(1);
    fc.assert(fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (value) => bound(value) === undefined));
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => (bound(value) === undefined) === value >= 1));
    fc.assert(fc.property(fc.double(), (value) => Number.isSafeInteger(value) || bound(value) !== undefined));
    for (const value of [NaN, Infinity, -0.5, 2 ** 53, '1', 1n, null, undefined, {}, []]) expect(bound(value)).toEqual(expect.any(String));
  });

  it('states limits in NGN', () => {
    expect([kobo(1)(0), kobo(0, 500_00)(500_01)]).toStrictEqual(['must be at least 0.01', 'must not be greater than 500']);
  });
});

describe('a bound of a list', () => {
  const bound = listOf(oneOf(['a', 'b']), 2, 1);

  it.each<[unknown, string | undefined]>([
    [['a', 'b'], undefined],
    [[], 'must have at least 1 item'],
    [['a', 'a', 'a'], 'must not have more than 2 items'],
    [['a', 'c'], 'must be one of a, b'],
    ['a', 'must be a list'],
    [{ length: 1, 0: 'a' }, 'must be a list'],
  ])('finds in %j: %s', (value, problem) => {
    expect(bound(value)).toBe(problem);
  });
});

describe('a command with values out of bounds', () => {
  const bounds: Readonly<Record<string, Bound>> = { some_name: requiredText(3), count: integer(1, 5) };

  it('is refused with a sentence for each of its fields', () => {
    expect(outOfBounds({ some_name: 'long', count: 9 }, bounds)).toStrictEqual({
      some_name: ['The some name field must not be greater than 3 characters.'],
      count: ['The count field must not be greater than 5.'],
    });
    expect(() => {
      assertInBounds({ some_name: '', count: 1 }, bounds);
    }).toThrow(new ValidationFailed({ some_name: ['The some name field is required.'] }));
  });

  it('is accepted within its bounds, whatever other fields it has', () => {
    expect(outOfBounds({ some_name: 'abc', count: 5, other: '\0' }, bounds)).toStrictEqual({});
  });
});
