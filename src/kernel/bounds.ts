import { dateProblem } from './iso-8601.js';
import { isNaira, toNaira } from './money.js';
import { isLonger, isStorableText, MAX_TEXT } from './storable.js';
import { type FieldErrors, sentenceOf, ValidationFailed } from './validation-failed.js';

/** Returns what is wrong with a value as the end of a sentence, such as `must be a string`; undefined if the value is within the bound. */
export type Bound = (value: unknown) => string | undefined;

const MAX_ID = 64;
const RUPA_ID = /^[A-Za-z0-9-]{1,64}$/;

/** Well-formed text of at most `max` characters, which may be empty. */
export function text(max = MAX_TEXT): Bound {
  return (value) => {
    if (typeof value !== 'string') return 'must be a string';
    if (!isStorableText(value)) return 'must be well-formed text without NUL';
    return isLonger(value, max) ? `must not be greater than ${max} characters` : undefined;
  };
}

/** Text of 1 to `max` characters that are not all blank. */
export function requiredText(max = MAX_TEXT): Bound {
  const bound = text(max);
  return (value) => (value === undefined || value === null || isBlank(value) ? 'is required' : bound(value));
}

/** An id that the service gave. */
export const id: Bound = requiredText(MAX_ID);

export const rupaId: Bound = (value) =>
  typeof value === 'string' && RUPA_ID.test(value) ? undefined : 'must have 1 to 64 letters, digits and hyphens';

/** @param lastYear 2199 by default */
export function dateUntil(lastYear?: number): Bound {
  return (value) => dateProblem(typeof value === 'string' ? value : '', lastYear);
}

export const date: Bound = dateUntil();

export const flag: Bound = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

export function oneOf(allowed: readonly unknown[]): Bound {
  return (value) => (allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`);
}

export function integer(min = 0, max: number = Number.MAX_SAFE_INTEGER): Bound {
  return (value) => (Number.isSafeInteger(value) ? range(value as number, min, max) : 'must be an integer');
}

export function number(min: number, max: number): Bound {
  return (value) => (Number.isFinite(value) ? range(value as number, min, max) : 'must be a number');
}

/** Integer kobo. The sentences speak of NGN, in which callers send amounts. */
export function kobo(min: number, max: number = Number.MAX_SAFE_INTEGER): Bound {
  return (value) =>
    Number.isSafeInteger(value)
      ? range(toNaira(value as number), toNaira(min), toNaira(max))
      : 'must be a number with at most two decimals';
}

/** An amount of at least 0 in NGN, or another currency with hundredths, that is exact in them. */
export const naira: Bound = (value) => (isNaira(value) ? range(value, 0, Infinity) : 'must be a number with at most two decimals');

export function nullable(bound: Bound): Bound {
  return (value) => (value === null || value === undefined ? undefined : bound(value));
}

/** A list whose first item that is out of bounds determines the sentence. */
export function listOf(bound: Bound, max: number, min = 0): Bound {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length < min) return `must have at least ${min} item`;
    if (value.length > max) return `must not have more than ${max} items`;
    return value.map(bound).find((problem) => problem !== undefined);
  };
}

/** Returns the errors of the fields that are out of bounds. */
export function outOfBounds(fields: object, bounds: Readonly<Record<string, Bound>>): FieldErrors {
  const errors: Record<string, readonly string[]> = {};
  for (const [field, bound] of Object.entries(bounds)) {
    const problem = bound((fields as Readonly<Record<string, unknown>>)[field]);
    if (problem !== undefined) errors[field] = [sentenceOf(field, problem)];
  }
  return errors;
}

/** @throws ValidationFailed if there are errors */
export function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** @throws ValidationFailed if a field is out of bounds */
export function assertInBounds(fields: object, bounds: Readonly<Record<string, Bound>>): void {
  refuse(outOfBounds(fields, bounds));
}

function range(value: number, min: number, max: number): string | undefined {
  if (value < min) return `must be at least ${min}`;
  return value > max ? `must not be greater than ${max}` : undefined;
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}
