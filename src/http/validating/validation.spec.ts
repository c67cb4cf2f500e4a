import { describe, expect, it } from '@jest/globals';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsString, Min, MinLength } from 'class-validator';
import fc from 'fast-check';
import 'reflect-metadata';
import { Input, Nested } from './dto.js';
import { idIn, IsDate8601, IsNaira, IsRupaId, listedIn, MaxLength, parseRupaId, Required, validateBody } from './validation.js';
import { MAX_FIELD_ERRORS, ValidationFailed } from '../../kernel/validation-failed.js';

class Item {
  @Required() @IsString() @MaxLength(3) some_code: string;
}

class Body extends Input {
  @Required() @IsRupaId() rupa_id: string;
  @IsOptional() @IsNaira() @Min(0) amount?: number;
  @IsOptional() @IsInt() count?: number;
  @IsOptional() @IsDate8601() occurred_at?: string;
  @IsOptional() @MinLength(1) note?: string;
  @IsOptional() @MinLength(2) initials?: string;
  @IsOptional() @IsArray() @IsIn(['a', 'b'], { each: true }) letters?: string[];
  @IsOptional() @Nested(() => Item, { many: true }) items?: Item[];
  @IsOptional() @Nested(() => Item) owner?: Item;
  @IsOptional() extra?: unknown;
}

class List extends Input {
  @IsArray() @ArrayMaxSize(2) @Nested(() => Item, { many: true }) entries: Item[];
}

function errors(body: unknown): Readonly<Record<string, readonly string[]>> {
  try {
    validateBody(Body, body);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors;
    throw error;
  }
  return {};
}

describe('a request body', () => {
  it('is trimmed and has its Rupa ID in lower case', () => {
    expect(Object.assign({}, validateBody(Body, { rupa_id: '  RP-1 ', amount: 1.5 }))).toStrictEqual({ rupa_id: 'rp-1', amount: 1.5 });
  });

  it('is refused with each unknown field under its path, beside the fields that break a rule', () => {
    expect(errors({ rupa_id: 'rp-1', amuont: 1, amount: -1, owner: { some_code: 'abc', some_cod: 1 } })).toStrictEqual({
      amount: ['The amount field must be at least 0.'],
      amuont: ['The amuont field is not known. Did you mean amount?'],
      'owner.some_cod': ['The owner.some cod field is not known. Did you mean owner.some_code?'],
    });
  });

  it('without a required field gets only the message that the field is required', () => {
    for (const rupa_id of [undefined, null, '', '   '])
      expect(errors({ rupa_id })).toStrictEqual({ rupa_id: ['The rupa id field is required.'] });
  });

  it('with letters outside ASCII is refused, although they have ASCII letters as their lower or upper case', () => {
    const folded = [...Array(0x1_0000).keys()]
      .map((code) => String.fromCharCode(code))
      .filter((letter) => /^[a-z]$/i.test(letter.toLowerCase()) || /^[a-z]+$/i.test(letter.toUpperCase()));
    const beyond = folded.filter((letter) => !/^[a-z]$/i.test(letter));
    expect(beyond).toContain('\u212a');
    for (const letter of beyond) expect(Object.keys(errors({ rupa_id: `rp-${letter}` }))).toStrictEqual(['rupa_id']);
    for (const letter of beyond) expect(() => parseRupaId(`rp-${letter}`)).toThrow(ValidationFailed);
  });

  it('may have as many characters in a text as its limit says, whatever UTF-16 units they take', () => {
    const characters = fc.array(fc.constantFrom('a', 'ẹ', '🌾', '"', '\\'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(characters, (all) => {
        const refused = Object.keys(errors({ rupa_id: 'rp-1', owner: { some_code: all.join('') } }));
        expect(refused).toStrictEqual(all.length > 3 ? ['owner.some_code'] : []);
      }),
    );
  });

  it.each([
    [{ amount: -1 }, { amount: ['The amount field must be at least 0.'] }],
    [{ amount: 'x' }, { amount: ['The amount field must be a number with at most two decimals.'] }],
    [{ count: 1.5 }, { count: ['The count field must be an integer.'] }],
    [{ occurred_at: '2026-02-29' }, { occurred_at: ['The occurred at field must be an ISO 8601 date or timestamp.'] }],
    [
      { letters: ['a', 'c', 'b', 4] },
      { 'letters.1': ['The letters.1 field must be one of a, b.'], 'letters.3': ['The letters.3 field must be one of a, b.'] },
    ],
    [{ note: ' ' }, { note: ['The note field must be at least 1 character.'] }],
    [{ initials: 'a' }, { initials: ['The initials field must be at least 2 characters.'] }],
    [{ letters: 'a' }, { letters: ['The letters field must be a list.'] }],
    [
      { items: [{ some_code: 'abc' }, { some_code: 'abcd' }, {}] },
      {
        'items.1.some_code': ['The items.1.some code field must not be greater than 3 characters.'],
        'items.2.some_code': ['The items.2.some code field is required.'],
      },
    ],
  ])('%j is rejected under the name of the field as it was sent', (body, expected) => {
    expect(errors({ rupa_id: 'rp-1', ...body })).toStrictEqual(expected);
  });

  it.each(['2026-11-21', '2024-02-29', '2026-11-21T10:00Z', '2026-11-21T10:00:00.123+01:00'])('may have the date %s', (occurred_at) => {
    expect(errors({ rupa_id: 'rp-1', occurred_at })).toStrictEqual({});
  });

  it.each(['2026-13-01', '21.11.2026', '2026-11-21 10:00', '2026-11-21T24:00Z', '1776-07-04', 'now'])(
    'must not have the date %s',
    (occurred_at) => {
      expect(Object.keys(errors({ rupa_id: 'rp-1', occurred_at }))).toStrictEqual(['occurred_at']);
    },
  );

  it('is rejected if a value in it, however deeply nested, cannot be stored', () => {
    expect(Object.keys(errors({ rupa_id: 'rp-1', extra: { deep: ['ok', 'a\0b'] } }))).toStrictEqual(['extra.deep.1']);
    expect(Object.keys(errors({ rupa_id: 'rp-1', extra: '\ud800' }))).toStrictEqual(['extra']);
    expect(Object.keys(errors({ rupa_id: 'rp-1', extra: { 'k\0': 1 } }))).toStrictEqual(['extra']);
    expect(Object.keys(errors({ rupa_id: 'rp-1', extra: 1e14 }))).toStrictEqual(['extra']);
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(errors({ rupa_id: 'rp-1', extra: nested(31) })).toStrictEqual({});
    expect(Object.keys(errors({ rupa_id: 'rp-1', extra: nested(32) }))).toHaveLength(1);
  });

  it('is rejected if it is not an object', () => {
    for (const body of [[], 'x', 7, true, null]) expect(errors(body)).toStrictEqual({ body: ['The body must be a JSON object.'] });
  });

  it('is accepted or rejected with messages, whatever its shape', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.record(
          { rupa_id: fc.jsonValue(), amount: fc.jsonValue(), letters: fc.jsonValue(), items: fc.jsonValue() },
          { requiredKeys: [] },
        ),
        fc.dictionary(fc.constantFrom('ownre', 'Amount', 'letter', 'rupa-id', 'any'), fc.jsonValue({ maxDepth: 1 })),
        (any, body, misspelt) => {
          for (const candidate of [any, body, misspelt]) {
            for (const [field, sentences] of Object.entries(errors(candidate))) {
              if (field === '') expect(Object.hasOwn(candidate as object, '')).toBe(true);
              for (const sentence of sentences) expect(sentence).toMatch(/^The .+(?:\.|\. Did you mean .+\?)$/s);
            }
          }
        },
      ),
    );
  });

  it('with fields named like properties that JavaScript relies on is handled like any other', () => {
    const names = fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then', 'length', 'name');
    const value = fc.oneof(fc.constantFrom('Julius Berger', 0, null, [], {}), fc.jsonValue({ maxDepth: 2 }));
    const hostile = fc.letrec<{ object: unknown }>((tie) => ({
      object: fc.dictionary(names, fc.oneof({ maxDepth: 3 }, value, tie('object'), fc.array(tie('object'), { maxLength: 2 }))),
    })).object;
    const field = fc.constantFrom('rupa_id', 'amount', 'letters', 'items', 'extra', 'constructor');
    fc.assert(
      fc.property(field, hostile, fc.boolean(), (name, content, listed) => {
        const text = JSON.stringify({ rupa_id: 'rp-1', [name]: listed ? [content] : content });
        const found = errors(JSON.parse(text));
        expect(Object.keys(found).every((key) => key.startsWith(name))).toBe(true);
      }),
    );
  });

  const MANY = 200_000;
  const named = (value: unknown): object => Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`field${n}`, value]));
  it.each<[string, object, RegExp]>([
    ['unknown fields', named(1), /^field/],
    ['unknown fields of items', { items: Array.from({ length: MANY }, () => ({ some_code: 'abc', other: 1 })) }, /^items\.\d+\.other$/],
    ['items of a list that break a rule', { letters: Array.from({ length: MANY }, () => 'c') }, /^letters\./],
    ['objects of a list that break a rule', { items: Array.from({ length: MANY }, () => ({})) }, /^items\.\d+\.some_code$/],
    ['items that are no objects', { items: Array.from({ length: MANY }, () => 1) }, /^items\.\d+$/],
    ['values that cannot be stored', { extra: named('\0') }, /^extra\.field/],
  ])('with hundreds of thousands of %s is refused with a hundred of them', (_what, sent, wrong) => {
    const names = Object.keys(errors({ rupa_id: 'rp-1', ...sent }));
    expect(names).toHaveLength(MAX_FIELD_ERRORS);
    expect(names.filter((name) => !wrong.test(name))).toStrictEqual([]);
  });

  it('of more items than its list may have is refused for their number, whatever the items are', () => {
    const entries = Array.from({ length: MANY }, () => ({}));
    expect(() => listedIn(List, 'entries', { entries })).toThrow(
      expect.objectContaining({ errors: { entries: ['The entries field must not have more than 2 items.'] } }),
    );
  });

  it('with a list in place of an object, or in place of an item of a list, is refused', () => {
    expect(Object.keys(errors({ rupa_id: 'rp-1', items: { some_code: 'abc' } }))).toStrictEqual(['items']);
    expect(errors({ rupa_id: 'rp-1', items: [[{ some_code: 'abc' }]] })).toStrictEqual({
      'items.0': ['The items.0 field must be an object.'],
    });
    expect(errors({ rupa_id: 'rp-1', items: [null] })).toStrictEqual({ 'items.0': ['The items.0 field must be an object.'] });
    expect(errors({ rupa_id: 'rp-1', owner: [{ some_code: 'abc' }] })).toStrictEqual({ owner: ['The owner field must be an object.'] });
  });
});

describe('a Rupa ID in a path', () => {
  it('has 1 to 64 letters, digits and hyphens, and is converted to lower case', () => {
    expect([parseRupaId('RP-Ab9'), parseRupaId('a'.repeat(64))]).toStrictEqual(['rp-ab9', 'a'.repeat(64)]);
    for (const wrong of ['', 'a'.repeat(65), 'rp_1', 'rp 1', 'rp/1', 'é', '../x'])
      expect(() => parseRupaId(wrong)).toThrow(ValidationFailed);
  });
});

describe('an id', () => {
  it('is a UUID in lower case in any case, and another id as it was sent', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.stringMatching(/^[A-Za-z0-9-]{1,35}$/), (uuid, other) => {
        expect([idIn(uuid), idIn(uuid.toUpperCase()), idIn(other)]).toStrictEqual([uuid, uuid, other]);
        expect([idIn(`${uuid} `), idIn(`{${uuid}}`), idIn('')]).toStrictEqual([undefined, undefined, undefined]);
      }),
    );
  });
});
