import { type Section } from '../../kernel/section-names.js';
import { type FieldClass, fieldsOf, type Kind, type Recorded, SECTION_CLASSES, type SectionOf } from '../farmers/public.js';
import { date } from './dates.js';
import { type Random } from './random.js';

const MAX_NUMBER = 100;

/** Returns valid content for a section without a generator of its own, derived from its class. It is less realistic. */
export function generateSection<S extends Section>(draw: Random, section: S): Recorded<SectionOf<S>> {
  return generateObject(draw, SECTION_CLASSES[section]);
}

function generateObject(draw: Random, type: FieldClass): object {
  const fields = fieldsOf(type).filter(({ lookupOnly }) => !lookupOnly);
  return Object.fromEntries(fields.map(({ name, kind }) => [name, generateValue(draw, kind)]));
}

function generateValue(draw: Random, kind: Kind): unknown {
  switch (kind.is) {
    case 'text':
      return `demo ${draw.integer(1, 9)}`.slice(0, kind.max);
    case 'texts':
      return draw.some(['one', 'two', 'three'], 0, 3);
    case 'one-of':
      return draw.pick(kind.values);
    case 'some-of':
      return draw.some(kind.values, 0, kind.values.length);
    case 'date':
      return date(draw, 2024, 2026, 9);
    case 'time':
      return `${date(draw, 2024, 2026, 9)}T09:30:00.000Z`;
    case 'flag':
      return draw.chance(0.5);
    case 'amount':
      return draw.integer(0, MAX_NUMBER) * 1_000;
    case 'id':
    case 'score':
    case 'quantity':
      return draw.integer(0, MAX_NUMBER);
    case 'count':
      return draw.integer(0, Math.min(kind.max ?? MAX_NUMBER, MAX_NUMBER));
    case 'size':
    case 'degrees':
      return draw.integer(0, Math.min(kind.max, MAX_NUMBER));
    case 'vegetation-index':
      return draw.integer(0, MAX_NUMBER) / MAX_NUMBER;
    case 'object':
      return generateObject(draw, kind.of);
    case 'list':
      return Array.from({ length: draw.integer(0, 2) }, () => generateObject(draw, kind.of));
  }
}
