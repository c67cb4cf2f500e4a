import { applyDecorators, type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type Constructor, Converted, createInstance, declaredFields, type Fields, type Input, type InputClass } from './dto.js';
import { IsString, MinLength, registerDecorator, ValidateIf, type ValidationOptions } from 'class-validator';
import { isCurrency, isNaira } from '../../kernel/money.js';
import { isVatPercent } from '../../kernel/vat.js';
import { canonicalDate, dateProblem, dayProblem } from '../../kernel/iso-8601.js';
import { isLonger, MAX_TEXT, unstorable } from '../../kernel/storable.js';
import { type FieldErrors, ValidationFailed } from '../../kernel/validation-failed.js';
import { isNetwork } from '../../platform/http-server/address.js';
import { addSentence, fieldErrors, sentence, type Sentence, unknownFields } from './field-errors.js';

/** Regular expression of an id: a partner's, a lookup's, or a farmer's Rupa ID before it is converted to lower case. */
export const ID_PATTERN = '^[A-Za-z0-9-]{1,64}$';

const ID = new RegExp(ID_PATTERN);
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const NUMBER = /^[1-9]\d{0,14}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}

/** Returns the id as it was assigned; undefined for a text that is none. Some databases show UUIDs, which are in lower case, in upper case. */
export function idIn(text: string): string | undefined {
  if (!isId(text)) return undefined;
  return UUID.test(text) ? text.toLowerCase() : text;
}

/** Returns the number that the text is the id of, such as that of an endpoint or a delivery; undefined for any other text. */
export function idNumberIn(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/**
 * Makes an input of a body: with trimmed strings and converted fields.
 * @param context what the input's rules depend on besides itself, if there is anything
 * @throws ValidationFailed with the messages of every field that breaks a rule or is not known
 */
export function validateBody<T extends Input<unknown>>(type: InputClass<T>, body: unknown, ...[context]: ContextOf<T>): T {
  const { instance, unknown } = convertBody(type, body);
  refuse({ ...instance.problems?.(context), ...fieldErrors(instance), ...unknown });
  return instance;
}

/**
 * Returns the items of a list as they were sent, of a body whose items are validated one by one, because a bad one does not affect the others.
 * @throws ValidationFailed for everything about the body but its items
 */
export function listedIn<T extends Input<unknown>>(
  type: InputClass<T>,
  field: keyof Fields<T> & string,
  body: unknown,
): readonly unknown[] {
  const items = listOf(body, field);
  const { instance, unknown } = convertBody(type, items ? { ...(body as object), [field]: items.map(() => ({})) } : body);
  refuse({ ...Object.fromEntries(Object.entries(fieldErrors(instance)).filter(([name]) => !name.startsWith(`${field}.`))), ...unknown });
  return items ?? [];
}

/** Returns the list in a field of a body; undefined if there is none. */
export function listOf(body: unknown, field: string): readonly unknown[] | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  const value = (body as Readonly<Record<string, unknown>>)[field];
  return Array.isArray(value) ? (value as unknown[]) : undefined;
}

/** The argument with which {@link validateBody} gets the context of an input's rules. Most inputs have none. */
export type ContextOf<T> = T extends Input<infer Context> ? ([Context] extends [undefined] ? [] : [Context]) : never;

/** Returns the fields of a body that its decorators accept, without the rules of {@link Input.problems}. @throws ValidationFailed */
export function validateFields<T extends Input<unknown>>(type: InputClass<T>, body: unknown): Fields<T> {
  const { instance, unknown } = convertBody(type, body);
  refuse({ ...fieldErrors(instance), ...unknown });
  return instance;
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/**
 * Converts a body like {@link validateBody}, without the validation by its decorators. A body that was not sent has no fields.
 * @throws ValidationFailed if it is not an object, or contains what no store can hold
 */
function convertBody<T extends object>(
  type: { readonly prototype: T },
  body: unknown = {},
): { readonly instance: T; readonly unknown: FieldErrors } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ValidationFailed({ body: ['The body must be a JSON object.'] });
  // This check comes first, because it limits the depth for the recursive functions after it.
  refuse(unstorable(body));
  return { instance: createInstance(type, trimmedBody(type, body)), unknown: unknownFields(type as Constructor, body) };
}

declare const parsed: unique symbol;

/** A Rupa ID in its stored form, in lower case. Only validation makes one. */
export type RupaId = string & { readonly [parsed]: true };

/** Parses a Rupa ID from a path. @throws ValidationFailed */
export function parseRupaId(text: string): RupaId {
  if (!isId(text.trim())) throw new ValidationFailed({ rupa_id: [sentence('isRupaId', 'rupa_id', [], text)] });
  return text.trim().toLowerCase() as RupaId;
}

const verbatimFields = new WeakMap<object, Set<string>>();

/** Marks a field whose content is free-form: it is stored as sent, without trimming. */
export function Verbatim(): PropertyDecorator {
  return (target, property) => {
    verbatimFields.set(target.constructor, new Set([...(verbatimFields.get(target.constructor) ?? []), String(property)]));
  };
}

/** Requires a field. Missing, null and empty are treated alike and get only the message that the field is required. */
export function Required(): PropertyDecorator {
  return custom('required', (value) => value !== undefined && value !== null && value !== '');
}

/** Limits the length of a text, counted in characters: an emoji of two UTF-16 units counts once, and one that combines several counts each. */
export function MaxLength(most = MAX_TEXT, options: ValidationOptions = {}): PropertyDecorator {
  return custom('maxLength', (value) => typeof value === 'string' && !isLonger(value, most), options, [most]);
}

/** A text that every entry of its kind has: a reference, or the reason that a person gives. */
export function ShortText(description: string): PropertyDecorator {
  return applyDecorators(ApiProperty({ description }), Required(), IsString(), MinLength(1), MaxLength());
}

/** Accepts null in addition to what the field's other decorators accept. Unlike with IsOptional, a missing field is not accepted. */
export function NullOr(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== null);
}

/** Accepts a field that is not sent. Unlike with IsOptional, null is not accepted. */
export function IfSent(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** Requires 1–64 letters, digits and hyphens, and converts them to lower case (decisions, "Checks"). */
export function IsRupaId(options: ValidationOptions = {}): PropertyDecorator {
  // Only a valid id is folded: some characters outside ASCII, such as the Kelvin sign, become ASCII letters in lower case.
  const folded = (value: unknown): unknown => (typeof value === 'string' && isId(value) ? value.toLowerCase() : value);
  const lower = Converted((value) => (options.each && Array.isArray(value) ? value.map(folded) : folded(value)));
  const check = custom('isRupaId', (value) => typeof value === 'string' && isId(value), options);
  return (target, property) => {
    lower(target, property);
    check(target, property);
  };
}

/** Requires an ISO 4217 code and converts it to upper case. */
export function IsCurrency(): PropertyDecorator {
  const upper = Converted((value) => (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : value));
  const check = custom('isCurrency', isCurrency);
  return (target, property) => {
    upper(target, property);
    check(target, property);
  };
}

/** Requires an NGN amount with at most two decimals that is exact in kobo. */
export function IsNaira(): PropertyDecorator {
  return custom('isNaira', isNaira);
}

/** Requires a rate of VAT in percent. */
export function IsVatPercent(): PropertyDecorator {
  return custom('isVatPercent', isVatPercent);
}

export function IsNetwork(options: ValidationOptions = {}): PropertyDecorator {
  return custom('isNetwork', (value) => typeof value === 'string' && isNetwork(value), options);
}

/** Limits the size of the value as JSON in UTF-8, in bytes. */
export function MaxBytes(most: number): PropertyDecorator {
  return custom('maxBytes', (value) => Buffer.byteLength(JSON.stringify(value)) <= most, {}, [most]);
}

/** Requires an existing ISO 8601 date, or a timestamp with an offset, from 1900 on, and makes its notation canonical. @param lastYear 2199 by default */
export function IsDate8601(lastYear?: number): PropertyDecorator {
  const canonical = Converted((value) => (typeof value === 'string' ? canonicalDate(value) : value));
  const check = custom('isDate8601', (value) => typeof value === 'string' && dateProblem(value, lastYear) === undefined, {}, [lastYear]);
  return (target, property) => {
    canonical(target, property);
    check(target, property);
  };
}

/** Requires an existing day, such as 2026-03-31, from 1900 to 2199. */
export function IsDay(options: ValidationOptions = {}): PropertyDecorator {
  return custom('isDay', (value) => typeof value === 'string' && dayProblem(value) === undefined, options);
}

/**
 * Makes a decorator for a rule that class-validator does not have.
 * @param says returns the error message; a context passes it for a rule of its own
 */
export function custom(
  name: string,
  validate: (value: unknown) => boolean,
  options: ValidationOptions = {},
  constraints: readonly unknown[] = [],
  says?: Sentence,
): PropertyDecorator {
  if (says) addSentence(name, says);
  return (target, property) => {
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      options,
      constraints: [...constraints],
      validator: { validate },
    });
  };
}

/** Leaves out the fields that the class does not declare: there may be a hundred thousand of them. */
function trimmedBody(type: object, body: object): object {
  const verbatim = verbatimFields.get(type);
  const known = declaredFields(type as Constructor);
  const sent = Object.entries(body).filter(([key]) => known.has(key));
  return Object.fromEntries(sent.map(([key, item]) => [key, verbatim?.has(key) ? item : trimmed(item)]));
}

function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, trimmed(item)]));
}

/** Returns a query without its empty parameters, which count as absent (decisions, "Checks"). */
export function sentQuery(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => typeof value !== 'string' || value.trim() !== ''));
}

/** Validates bodies and queries and converts them to the DTO that the handler declares. @throws ValidationFailed */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || metatype === Object) return value;
    return validateBody(metatype as unknown as InputClass<Input>, type === 'query' ? sentQuery(value as object) : value);
  }
}
