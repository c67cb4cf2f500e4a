import { isVatPercent } from './vat.js';

/** Returns whether a field's value is of the kind that events of this type have. */
export type Check = (value: unknown) => boolean;

/** A check of each field of an event's data. Fields that are not named may have any value. */
export type Shape = Readonly<Record<string, Check>>;

export const text: Check = (value) => typeof value === 'string';
export const anything: Check = () => true;
export const flag: Check = (value) => typeof value === 'boolean';
export const integer: Check = (value) => Number.isSafeInteger(value);
export const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const record: Check = isRecord;

/** A rate of VAT in percent. */
export const vatPercent: Check = isVatPercent;

/** A time as the service writes it: ISO 8601 in UTC with milliseconds, so that times compare as texts. */
export const time: Check = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) && !Number.isNaN(Date.parse(value));

export const oneOf =
  (values: readonly string[]): Check =>
  (value) =>
    values.some((each) => each === value);

export const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

export const absentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

export const recordOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);

export const objectWith =
  (fields: Shape): Check =>
  (value) =>
    isRecord(value) && wrongField(fields, value) === undefined;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the name of the first field that is missing or has a value of the wrong kind. */
export function wrongField(fields: Shape, data: Readonly<Record<string, unknown>>): string | undefined {
  for (const field in fields) if (fields[field]?.(data[field]) === false) return field;
  return undefined;
}
