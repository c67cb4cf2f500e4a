import { type FieldClass, fieldsOf, type Kind } from '../../../src/contexts/farmers/domain/fields.js';

const LONG = 255;
const MAX_ITEMS = 1_000;

/** Texts that no field takes. */
const UNSTORABLE = ['a\0b', '\ud83c', '\udf3ea'];

/** Values that break the rules of a text of at most `max` characters. */
export const badTexts = (max = LONG): unknown[] => ['x'.repeat(max + 1), '🌾'.repeat(max + 1), ...UNSTORABLE, 1, {}, ['a']];
export const badRequiredTexts = (max = LONG): unknown[] => ['', ' ', '\t\n', null, ...badTexts(max)];
export const badRupaIds: readonly unknown[] = ['', 'a b', 'ẹ', 'x'.repeat(65), 'a/b', ...UNSTORABLE, 1, null];
export const badCurrencies: readonly unknown[] = ['', 'naira', 'ZZZ', 'zzz', 'N\0N', 1];
export const badChoices: readonly unknown[] = ['other', '', 'constructor', 1, {}];

/** Amounts in NGN that are not exact in kobo. */
const INEXACT = [0.001, 1.005, 1e16, '1', '', '0x10', true, {}];
export const badAmounts: readonly unknown[] = [...INEXACT, -0.01, -1_000];
export const badPositiveAmounts: readonly unknown[] = [...badAmounts, 0, -0, null];
/** Amounts that an operator may type, also by an unset variable of a shell. */
export const badTypedAmounts = [
  '',
  ' ',
  '0',
  '0.00',
  '-0',
  '-1000',
  '+1',
  '1.005',
  '1.',
  '.5',
  '1,000',
  '0x10',
  '1e3',
  '1_000',
  'NaN',
  'Infinity',
  '9'.repeat(17),
];

/** Values that break the rule of a kind of field in a farmer's record. */
export function violationsOf(kind: Kind): readonly unknown[] {
  switch (kind.is) {
    case 'text':
      return badTexts(kind.max);
    case 'texts':
      return ['a', [1], ...badTexts(LONG).map((text) => [text]), Array.from({ length: MAX_ITEMS }, () => 'a')];
    case 'one-of':
      return badChoices;
    case 'some-of':
      return ['x', ...badChoices.map((choice) => [choice]), Array.from({ length: kind.values.length + 1 }, () => kind.values[0])];
    case 'currency':
      return badCurrencies;
    case 'date':
    case 'time':
      return ['', 'yesterday', '2026-13-01', '2026-02-30', '1899-12-31', '2026-01-01T25:00:00Z', 1, ...UNSTORABLE];
    case 'flag':
      return ['true', 1, {}];
    case 'amount':
      return badAmounts;
    case 'id':
    case 'count':
      return [-1, 0.5, '1', ...(kind.is === 'count' && kind.max !== undefined ? [kind.max + 1] : [])];
    case 'score':
      return [-1, 1_001, 0.5, '1'];
    case 'quantity':
      return ['1', {}];
    case 'size':
      return [-1, kind.max + 1, '1'];
    case 'degrees':
      return [-kind.max - 1, kind.max + 1, '1'];
    case 'vegetation-index':
      return [-1.01, 1.01, '1'];
    case 'object':
      return [1, 'a', ...recordViolations(kind.of)];
    case 'list':
      return [1, 'a', [1], Array.from({ length: kind.max + 1 }, () => ({})), ...recordViolations(kind.of).map((item) => [item])];
  }
}

/** Objects of the class, each with one field that breaks its rule. */
export function recordViolations(type: FieldClass): readonly object[] {
  return fieldsOf(type).flatMap(({ name, kind, required, lookupOnly }) => {
    if (lookupOnly) return [];
    return [...violationsOf(kind), ...(required ? [null] : [])].map((value) => ({ [name]: value }));
  });
}
