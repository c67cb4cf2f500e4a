import { VAT_PERCENT_PROBLEM } from '../../kernel/vat.js';
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';
import { dateProblem, dayProblem } from '../../kernel/iso-8601.js';
import { nearest } from '../../kernel/nearest-name.js';
import { inWords, MAX_FIELD_ERRORS, sentenceOf, type FieldErrors } from '../../kernel/validation-failed.js';
import { type Constructor, declaredFields, isIgnored, nestedType } from './dto.js';

export type Sentence = (field: string, constraints: readonly unknown[], value: unknown) => string;

type Messages = Record<string, string[]>;
export type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
/** Whether a field is validated. */
export type Condition = (object: object, value: unknown) => boolean;

/** A constraint of a field. With `each`, it is one of every item of a list. */
interface Check {
  readonly name: string;
  readonly each: boolean;
  readonly constraints: readonly unknown[];
  readonly accepts: (value: unknown) => boolean;
}

/** The rules of a field, which apply if every condition holds, such as that an optional field was sent. */
interface FieldRules {
  readonly property: string;
  readonly conditions: readonly Condition[];
  readonly checks: readonly Check[];
  readonly isNested: boolean;
}

/** The error message of each constraint, in the form of (decisions, "Checks"). */
const sentences: Record<string, Sentence> = {
  required: (field) => `The ${field} field is required.`,
  isString: (field) => `The ${field} field must be a string.`,
  isBoolean: (field) => `The ${field} field must be true or false.`,
  isInt: (field) => `The ${field} field must be an integer.`,
  isNumber: (field) => `The ${field} field must be a number.`,
  isNaira: (field) => `The ${field} field must be a number with at most two decimals.`,
  isVatPercent: (field) => `The ${field} field ${VAT_PERCENT_PROBLEM}.`,
  isArray: (field) => `The ${field} field must be a list.`,
  isObject: (field) => `The ${field} field must be an object.`,
  nestedValidation: (field) => `The ${field} field must be an object.`,
  isIn: (field, [allowed]) => `The ${field} field must be one of ${(allowed as readonly string[]).join(', ')}.`,
  min: (field, [least]) => `The ${field} field must be at least ${String(least)}.`,
  max: (field, [most]) => `The ${field} field must not be greater than ${String(most)}.`,
  minLength: (field, [least]) => `The ${field} field must be at least ${String(least)} ${least === 1 ? 'character' : 'characters'}.`,
  maxLength: (field, [most]) => `The ${field} field must not be greater than ${String(most)} characters.`,
  arrayMaxSize: (field, [most]) => `The ${field} field must not have more than ${String(most)} items.`,
  arrayNotEmpty: (field) => `The ${field} field must have at least 1 item.`,
  isCurrency: (field) => `The ${field} field must be an ISO 4217 code.`,
  isDate8601: (field, [lastYear], value) =>
    sentenceOf(field, dateProblem(typeof value === 'string' ? value : '', lastYear as number | undefined) ?? 'is invalid'),
  isDay: (field, _, value) => sentenceOf(field, dayProblem(typeof value === 'string' ? value : '') ?? 'is invalid'),
  isRupaId: (field) => `The ${field} field must have 1 to 64 letters, digits and hyphens.`,
  maxBytes: (field, [most]) => `The ${field} field must not be greater than ${String(most)} bytes as JSON.`,
  isNetwork: (field) => `The ${field} field must be an IP address or a CIDR.`,
};

/** If one of these constraints fails, only its message is returned: a value of the wrong type has no meaningful length or range. */
const TYPES = [
  'required',
  'isString',
  'isBoolean',
  'isInt',
  'isNumber',
  'isNaira',
  'isVatPercent',
  'isArray',
  'isObject',
  'nestedValidation',
];

/** Adds the error message of a constraint that only one context has. */
export function addSentence(name: string, says: Sentence): void {
  sentences[name] = says;
}

export function sentence(name: string, field: string, constraints: readonly unknown[], value: unknown): string {
  return sentences[name]?.(inWords(field), constraints, value) ?? `The ${inWords(field)} field is invalid.`;
}

/**
 * Returns the messages, by field, of what breaks a rule that class-validator's decorators declare; of the items of a list, those of the first
 * {@link MAX_FIELD_ERRORS}. Its own `validate` looks the rules up for every object, which took a quarter of an import's time.
 */
export function fieldErrors(instance: object, prefix = ''): Messages {
  const found: Messages = {};
  for (const { property, conditions, checks, isNested } of rulesOf(instance.constructor)) {
    const value = (instance as Readonly<Record<string, unknown>>)[property];
    if (!conditions.every((holds) => holds(instance, value))) continue;
    const failed = checks.filter((check) => !isAccepted(check, value));
    if (isNested && value !== undefined && (typeof value !== 'object' || value === null)) failed.push(NESTED);
    if (failed.length > 0) Object.assign(found, messages(failed, prefix + property, value));
    if (isNested) Object.assign(found, nestedErrors(value, prefix + property));
  }
  return found;
}

const NESTED: Check = { name: 'nestedValidation', each: false, constraints: [], accepts: () => true };

function isAccepted({ each, accepts }: Check, value: unknown): boolean {
  return each && Array.isArray(value) ? value.every(accepts) : accepts(value);
}

function messages(failed: readonly Check[], field: string, value: unknown): Messages {
  const type = TYPES.find((name) => failed.some((check) => check.name === name));
  const said = type === undefined ? failed : failed.filter(({ name }) => name === type);
  return Object.fromEntries(
    said.flatMap(({ name, each, constraints, accepts }) => {
      if (!each || !Array.isArray(value)) return [[field, [sentence(name, field, constraints, value)]]];
      const items = value.map((item: unknown, index) => ({ item, index })).filter(({ item }) => !accepts(item));
      return items.slice(0, MAX_FIELD_ERRORS).map(({ item, index }) => {
        const at = `${field}.${index}`;
        return [at, [sentence(name, at, constraints, item)]];
      });
    }),
  );
}

function nestedErrors(value: unknown, field: string): Messages {
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? fieldErrors(value, `${field}.`) : {};
  const found: Messages = {};
  for (const [index, item] of value.entries()) {
    const at = `${field}.${index}`;
    Object.assign(found, typeof item === 'object' && item !== null ? fieldErrors(item as object, `${at}.`) : messages([NESTED], at, item));
    if (Object.keys(found).length >= MAX_FIELD_ERRORS) break;
  }
  return found;
}

/** The rules of each class that was used; by then all of its decorators have run. */
const known = new WeakMap<object, readonly FieldRules[]>();

function rulesOf(type: object): readonly FieldRules[] {
  const found = known.get(type) ?? declaredRules(type);
  known.set(type, found);
  return found;
}

function declaredRules(type: object): readonly FieldRules[] {
  const all = getMetadataStorage().getTargetValidationMetadatas(type as () => void, '', false, false);
  return [...Map.groupBy(all, ({ propertyName }) => propertyName)].map(([property, declared]) => ({
    property,
    conditions: declared
      .filter((each) => each.type === ValidationTypes.CONDITIONAL_VALIDATION)
      .map((each) => (each.constraints as Condition[])[0] as Condition),
    checks: declared.filter((each) => each.type === ValidationTypes.CUSTOM_VALIDATION).map(checkOf),
    isNested: declared.some((each) => each.type === ValidationTypes.NESTED_VALIDATION),
  }));
}

function checkOf({ name, type, each, constraints, constraintCls, propertyName }: Metadata): Check {
  const [validator] = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  if (!validator) throw new Error(`The constraint ${name ?? type} of ${propertyName} has no validator.`);
  const { instance } = validator;
  // Validators look at nothing but their constraints: a rule of several fields is one of Input.problems.
  const of = { constraints, property: propertyName } as ValidationArguments;
  return { name: name ?? type, each, constraints: constraints as unknown[], accepts: (value) => instance.validate(value, of) === true };
}

type Found = [path: string, messages: readonly string[]];

/**
 * Returns messages, by path, for the fields of a body or query that its class does not declare (decisions, "Checks"), of
 * {@link MAX_FIELD_ERRORS} at most. A misspelt field would otherwise count as absent: `section` for `sections` is billed ten times the money.
 */
export function unknownFields(type: Constructor, sent: object): FieldErrors {
  const found: Found[] = [];
  addUnknown(found, type, sent, '');
  // An assignment would lose the message of a field named __proto__.
  return Object.fromEntries(found);
}

/** Returns a message for each field, of {@link MAX_FIELD_ERRORS} at most, of a body or query of a route that declares none. */
export function unexpectedFields(sent: object): FieldErrors {
  const names = Object.keys(sent).slice(0, MAX_FIELD_ERRORS);
  return Object.fromEntries(names.map((name) => [name, [unknownField('', name, [])]]));
}

function addUnknown(found: Found[], type: Constructor, sent: object, prefix: string): void {
  const known = declaredFields(type);
  for (const [name, value] of Object.entries(sent)) {
    if (found.length >= MAX_FIELD_ERRORS) return;
    if (isIgnored(type, name)) continue;
    const nested = nestedType(type, name);
    if (!known.has(name)) found.push([prefix + name, [unknownField(prefix, name, [...known.keys()])]]);
    else if (nested) addNested(found, nested.type(), value, prefix + name);
  }
}

function addNested(found: Found[], type: Constructor, value: unknown, path: string): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) {
      if (found.length >= MAX_FIELD_ERRORS) return;
      addNested(found, type, item, `${path}.${index}`);
    }
  else if (typeof value === 'object' && value !== null) addUnknown(found, type, value, `${path}.`);
}

/** Returns the message for a field that is not known, with the known name that may have been meant (decisions, "Checks"). */
export function unknownField(prefix: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `The ${inWords(prefix + name)} field is not known.${meant === undefined ? '' : ` Did you mean ${prefix}${meant}?`}`;
}
