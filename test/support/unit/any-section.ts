import fc from 'fast-check';
import { type FieldClass, fieldsOf, type Kind } from '../../../src/contexts/farmers/domain/fields.js';
import { SECTION_CLASSES } from '../../../src/contexts/farmers/domain/sections.js';
import { type Section } from '../../../src/kernel/section-names.js';

/** Generates everything that an administrator may record for a section: fields in any order, with optional ones missing or null. */
export function anyRecorded(section: Section): fc.Arbitrary<object> {
  return anyObject(SECTION_CLASSES[section]);
}

function anyObject(type: FieldClass): fc.Arbitrary<object> {
  const fields = fieldsOf(type).filter(({ lookupOnly }) => !lookupOnly);
  const entries = fields.map(({ name, kind, required }) => {
    const value = anyOf(kind).map((content): [string, unknown][] => [[name, content]]);
    return required ? value : fc.oneof({ weight: 4, arbitrary: value }, fc.constantFrom([[name, null]] as [string, unknown][], []));
  });
  return fc
    .tuple(...entries)
    .chain((drawn) => fc.shuffledSubarray(drawn.flat(), { minLength: drawn.flat().length }))
    .map((drawn) => Object.fromEntries(drawn));
}

function anyOf(kind: Kind): fc.Arbitrary<unknown> {
  const word = fc.stringMatching(/^[A-Za-zé]{1,3}$/);
  switch (kind.is) {
    case 'text':
      return word;
    case 'texts':
      return fc.array(word, { maxLength: 3 });
    case 'one-of':
      return fc.constantFrom(...kind.values);
    case 'some-of':
      return fc.subarray([...kind.values]);
    case 'currency':
      return fc.constantFrom('NGN', 'XOF', 'USD');
    case 'date':
      return fc.constantFrom('2026-02-03', '2026-02-03T04:05:06Z');
    case 'time':
      return fc.constant('2026-02-03T04:05:06.000Z');
    case 'flag':
      return fc.boolean();
    case 'id':
      return fc.nat();
    case 'amount':
      return fc.nat().map((kobo) => kobo / 100);
    case 'count':
      return fc.nat(kind.max ?? 1_000_000);
    case 'score':
      return fc.nat(1_000);
    case 'quantity':
    case 'size':
      return fc.nat(1_000_000).map((number) => number / 4);
    case 'degrees':
      return fc.integer({ min: -kind.max, max: kind.max });
    case 'vegetation-index':
      return fc.constantFrom(-1, -0.25, 0, 1);
    case 'object':
      return anyObject(kind.of);
    case 'list':
      return fc.array(anyObject(kind.of), { maxLength: 3 });
  }
}
