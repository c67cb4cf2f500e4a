import { getMetadataStorage, ValidateNested } from 'class-validator';
import { isRecord } from '../../kernel/shape.js';
import { type FieldErrors } from '../../kernel/validation-failed.js';

export type Constructor = abstract new () => object;
type Convert = (value: unknown) => unknown;

interface Nested {
  readonly type: () => new () => object;
  readonly many: boolean;
}

/**
 * An input is what comes from outside: a body, a query, a line of an import, the arguments of a command. A class that extends this is the one
 * definition of such an input, with class-validator's decorators. Only validation makes an instance (validateBody in validation.ts), and
 * the protected members keep plain objects and changed copies from having its type, so that whatever takes an input gets a valid one.
 * @typeParam Context what the rules of {@link problems} depend on besides the input itself, such as the caller
 */
export abstract class Input<Context = undefined> {
  declare protected readonly validFor: Context;

  protected constructor() {
    throw new Error('Only validation makes an input.');
  }

  /** Returns messages, by field, of the rules that no decorator of a single field can express. Any field may still be of a wrong type. */
  problems?(context: Context): FieldErrors;
}

/** The class of an input, whose constructor is not for callers. */
export interface InputClass<T extends Input<unknown>> {
  readonly name: string;
  readonly prototype: T;
}

/** The fields of an input, which say nothing about whether they are valid. */
export type Fields<T> = { readonly [Field in keyof T as Field extends 'problems' ? never : Field]: T[Field] };

/** Replaces a value that should be an object but is not. Validation then reports the field and never traverses the value. */
const NOT_AN_OBJECT = false;

/** The fields of each class that was used, with their conversions; by then all of its decorators have run. */
const declared = new WeakMap<Constructor, ReadonlyMap<string, Convert>>();
const conversions = new WeakMap<Constructor, Map<string, Convert>>();
const ignored = new WeakMap<Constructor, Map<string, true>>();
const nestings = new WeakMap<Constructor, Map<string, Nested>>();

/**
 * Converts the decimal digits of a query parameter, which needs a minimum and a maximum, so that it is exact. Other notations of a number,
 * such as 1e3 and 0x10, are left for validation to refuse.
 */
export function WholeNumber(): PropertyDecorator {
  return Converted((value) => (typeof value === 'string' && /^(?:\d+|-[1-9]\d*)$/.test(value) ? Number(value) : value));
}

/** Converts a field before it is validated, such as the text of a query parameter into a number. `convert` gets any JSON value but null. */
export function Converted(convert: Convert): PropertyDecorator {
  return ({ constructor }, property) => {
    remember(conversions, constructor as Constructor, String(property), convert);
  };
}

/** Declares a field that is an object of the class `type()` or, with `many`, a list of such objects. Each is validated by that class. */
export function Nested(type: () => new () => object, { many = false } = {}): PropertyDecorator {
  return (target, property) => {
    remember(nestings, target.constructor as Constructor, String(property), { type, many });
    ValidateNested({ each: many })(target, property);
  };
}

/** Lets fields be sent that are left out without being read: what a response computes, so that a response can be sent back. */
export function Ignores(...names: readonly string[]): ClassDecorator {
  return (type) => {
    for (const name of names) remember(ignored, type as unknown as Constructor, name, true);
  };
}

export function isIgnored(type: Constructor, name: string): boolean {
  return recall(ignored, type, name) ?? false;
}

/** Returns the names that {@link Ignores} declares for a class and for those that it extends. */
export function ignoredFields(type: Constructor): readonly string[] {
  const parent = Object.getPrototypeOf(type) as Constructor | null;
  return [...(ignored.get(type)?.keys() ?? []), ...(parent === null ? [] : ignoredFields(parent))];
}

/** Returns the class of a field that {@link Nested} declares. */
export function nestedType(type: Constructor, property: string): Nested | undefined {
  return recall(nestings, type, property);
}

/**
 * Returns an instance of `type` with the fields that the class declares a validation for. All others are refused elsewhere and not read,
 * so that no field of a request can shadow a property that JavaScript relies on, such as `constructor`.
 */
export function createInstance<T extends object>(type: { readonly prototype: T }, body: object): T {
  const instance = Object.create(type.prototype) as T;
  const fields = body as Readonly<Record<string, unknown>>;
  for (const [property, convert] of declaredFields(type as Constructor)) {
    const value = Object.hasOwn(fields, property) ? fields[property] : undefined;
    if (value !== undefined) (instance as Record<string, unknown>)[property] = value === null ? null : convert(value);
  }
  return instance;
}

function nestedValue({ type, many }: Nested, value: unknown): unknown {
  const one = (item: unknown): unknown => (isRecord(item) ? createInstance(type(), item) : NOT_AN_OBJECT);
  if (!many) return one(value);
  return Array.isArray(value) ? value.map(one) : NOT_AN_OBJECT;
}

/** Returns the fields that have a validation, in the order of their declaration. */
export function declaredFields(type: Constructor): ReadonlyMap<string, Convert> {
  const known = declared.get(type);
  if (known) return known;
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = new Map(all.map(({ propertyName }) => [propertyName, conversionOf(type, propertyName)]));
  declared.set(type, fields);
  return fields;
}

function conversionOf(type: Constructor, property: string): Convert {
  const nesting = recall(nestings, type, property);
  if (nesting) return (value) => nestedValue(nesting, value);
  return recall(conversions, type, property) ?? ((value) => value);
}

function remember<T>(all: WeakMap<Constructor, Map<string, T>>, type: Constructor, property: string, value: T): void {
  all.set(type, new Map([...(all.get(type) ?? []), [property, value]]));
}

/** Looks in the class and in those that it extends. */
function recall<T>(all: WeakMap<Constructor, Map<string, T>>, type: Constructor, property: string): T | undefined {
  const found = all.get(type)?.get(property);
  const parent = Object.getPrototypeOf(type) as Constructor | null;
  return found ?? (parent === null ? undefined : recall(all, parent, property));
}
