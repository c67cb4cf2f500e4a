import { type Bound, date, flag, integer, listOf, naira, number, oneOf, text } from '../../../kernel/bounds.js';
import { MAX_TEXT } from '../../../kernel/storable.js';
import { type FieldErrors, sentenceOf } from '../../../kernel/validation-failed.js';
import { type FarmerRecord } from './farmer-record.js';
import { type Field, type FieldClass, fieldsOf, type Kind } from './fields.js';
import { SECTION_CLASSES } from './sections.js';

export const MAX_TEXTS = 100;
export const MAX_SCORE = 1_000;

/** Returns the errors of a record that is to be recorded; section-validation.ts applies the same bounds to what HTTP and imports take. */
export function recordErrors({ phone_verified, ...sections }: Partial<FarmerRecord>): FieldErrors {
  const verified = phone_verified === undefined ? {} : errorsOf({ is: 'flag' }, phone_verified, 'phone_verified');
  const errors = Object.entries<unknown>(sections).map(([section, content]) => {
    if (content === undefined) return {};
    if (!Object.hasOwn(SECTION_CLASSES, section)) return error(section, 'is not a section of a record');
    return objectErrors(SECTION_CLASSES[section as keyof typeof SECTION_CLASSES], content, section);
  });
  return Object.assign({}, verified, ...errors) as FieldErrors;
}

const recordedFields = new WeakMap<FieldClass, ReadonlyMap<string, Field>>();

function recordedFieldsOf(type: FieldClass): ReadonlyMap<string, Field> {
  const known = recordedFields.get(type);
  if (known) return known;
  const fields = new Map(fieldsOf(type).flatMap((field): [string, Field][] => (field.lookupOnly ? [] : [[field.name, field]])));
  recordedFields.set(type, fields);
  return fields;
}

function objectErrors(type: FieldClass, value: unknown, path: string): FieldErrors {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return error(path, 'must be an object');
  const content = value as Readonly<Record<string, unknown>>;
  const recorded = recordedFieldsOf(type);
  const unknown = Object.keys(content).filter((name) => content[name] !== undefined && !recorded.has(name));
  return Object.assign(
    {},
    ...unknown.map((name) => error(`${path}.${name}`, 'is not a field of a record')),
    ...[...recorded.values()].map((field) => fieldErrors(field, content[field.name], `${path}.${field.name}`)),
  ) as FieldErrors;
}

function fieldErrors({ kind, required }: Field, value: unknown, path: string): FieldErrors {
  const isMissing = value === undefined || value === null;
  if (isMissing || (required && value === '')) return required ? error(path, 'is required') : {};
  return errorsOf(kind, value, path);
}

function errorsOf(kind: Kind, value: unknown, path: string): FieldErrors {
  if (kind.is === 'object') return objectErrors(kind.of, value, path);
  if (kind.is === 'list') {
    const problem = listOf(() => undefined, kind.max)(value);
    if (problem !== undefined) return error(path, problem);
    return Object.assign(
      {},
      ...(value as readonly unknown[]).map((item, index) => objectErrors(kind.of, item, `${path}.${index}`)),
    ) as FieldErrors;
  }
  const problem = boundOf(kind)(value);
  return problem === undefined ? {} : error(path, problem);
}

function boundOf(kind: Exclude<Kind, { is: 'object' | 'list' }>): Bound {
  switch (kind.is) {
    case 'text':
      return text(kind.max);
    case 'texts':
      return listOf(text(MAX_TEXT), MAX_TEXTS);
    case 'one-of':
      return oneOf(kind.values);
    case 'some-of':
      return listOf(oneOf(kind.values), kind.values.length);
    case 'date':
    case 'time':
      return date;
    case 'flag':
      return flag;
    case 'id':
      return integer();
    case 'amount':
      return naira;
    case 'count':
      return integer(0, kind.max);
    case 'score':
      return integer(0, MAX_SCORE);
    case 'quantity':
      return number(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    case 'size':
      return number(0, kind.max);
    case 'degrees':
      return number(-kind.max, kind.max);
    case 'vegetation-index':
      return number(-1, 1);
  }
}

function error(path: string, problem: string): FieldErrors {
  return { [path]: [sentenceOf(path, problem)] };
}
