import { MAX_TEXT } from '../../../kernel/storable.js';

/** A class whose fields carry the decorators of this file. */
export type FieldClass<T extends object = object> = new () => T;

/** The type of a field's value. It determines the validation, the OpenAPI schema and demo data (field-kinds.ts). */
export type Kind =
  | { readonly is: 'text'; readonly max: number }
  | { readonly is: 'texts' }
  | { readonly is: 'one-of'; readonly values: readonly string[] }
  | { readonly is: 'some-of'; readonly values: readonly string[] }
  | { readonly is: 'currency' }
  | { readonly is: 'date' }
  | { readonly is: 'time' }
  | { readonly is: 'flag' }
  | { readonly is: 'id' }
  | { readonly is: 'amount' }
  | { readonly is: 'count'; readonly max: number | undefined }
  | { readonly is: 'score' }
  | { readonly is: 'quantity' }
  | { readonly is: 'size'; readonly max: number }
  | { readonly is: 'degrees'; readonly max: number }
  | { readonly is: 'vegetation-index' }
  | { readonly is: 'object'; readonly of: FieldClass; readonly shown: Shown }
  | { readonly is: 'list'; readonly of: FieldClass; readonly shown: Shown; readonly max: number };

/**
 * How a lookup shows a nested object. `whole`: every field in the order of its class. `as-recorded`: the fields in the order in which
 * they were sent, followed by the fallbacks of fields that were not sent.
 */
type Shown = 'whole' | 'as-recorded';

/** The fallback of a field that a lookup leaves out if it was not recorded. */
export const ABSENT = Symbol('absent');

export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** True if the field must be sent whenever its parent object is. Other fields may be missing or null, which mean the same. */
  readonly required: boolean;
  /** True if the field is never recorded: it is computed, or comes from partners' reports. */
  readonly lookupOnly: boolean;
  /** The value that a lookup shows if nothing was recorded. */
  readonly fallback: unknown;
  readonly description: string | undefined;
}

interface Options {
  readonly required?: boolean;
  readonly lookupOnly?: boolean;
  readonly fallback?: unknown;
  readonly description?: string;
}

/** TypeScript refuses the decorator on a field of another type. */
type FieldDecorator<Value> = <Name extends string>(target: { readonly [N in Name]?: Value | null }, name: Name) => void;

const ownFields = new WeakMap<object, Field[]>();

/** Returns the fields of a class in the order of their declaration, those of its base classes last. */
export function fieldsOf(type: FieldClass): readonly Field[] {
  const base = Object.getPrototypeOf(type.prototype as object) as { readonly constructor: FieldClass } | null;
  const own = ownFields.get(type.prototype as object) ?? [];
  return base === null ? own : [...own, ...fieldsOf(base.constructor)];
}

const MAX_COUNT = 1_000_000_000;

export const Text = ({ max = MAX_TEXT, ...options }: Options & { readonly max?: number } = {}): FieldDecorator<string> =>
  field({ is: 'text', max }, null, options);

export const Texts = (options: Options = {}): FieldDecorator<readonly string[]> => field({ is: 'texts' }, [], options);

export const OneOf = <V extends string>(values: readonly V[], options: Options = {}): FieldDecorator<V> =>
  field({ is: 'one-of', values }, null, options);

/** A list of these values, with at most as many items as there are values. */
export const SomeOf = <V extends string>(values: readonly V[], options: Options = {}): FieldDecorator<readonly V[]> =>
  field({ is: 'some-of', values }, [], options);

/** The code of a currency, in upper case. */
export const Currency = (options: Options = {}): FieldDecorator<string> => field({ is: 'currency' }, null, options);

/** An ISO 8601 date or timestamp. */
export const Dated = (options: Options = {}): FieldDecorator<string> => field({ is: 'date' }, null, options);

/** An ISO 8601 timestamp in UTC, which the service writes. */
export const Time = (options: Options = {}): FieldDecorator<string> => field({ is: 'time' }, null, options);

export const Flag = (options: Options = {}): FieldDecorator<boolean> => field({ is: 'flag' }, false, options);

/** An integer that the service assigned. */
export const Id = (options: Options = {}): FieldDecorator<number> => field({ is: 'id' }, null, options);

/** An amount of at least 0 with at most two decimals, in NGN unless the object has a `currency` field. */
export const Amount = (options: Options = {}): FieldDecorator<number> => field({ is: 'amount' }, null, options);

/** An integer from 0; `max: undefined` sets no upper limit. */
export const Count = (options: Options & { readonly max?: number | undefined } = {}): FieldDecorator<number> => {
  const { max, ...rest } = { max: MAX_COUNT, ...options };
  return field({ is: 'count', max }, null, rest);
};

/** An integer from 0 to 1000. */
export const Score = (options: Options = {}): FieldDecorator<number> => field({ is: 'score' }, null, options);

/** A number that a partner reported, in the unit of the object's `unit` field. */
export const Quantity = (options: Options = {}): FieldDecorator<number> => field({ is: 'quantity' }, null, options);

/** A number of at least 0, in the unit that the field's name says. */
export const Size = ({ max, ...options }: Options & { readonly max: number }): FieldDecorator<number> =>
  field({ is: 'size', max }, null, options);

/** Degrees from -max to max. */
export const Degrees = ({ max, ...options }: Options & { readonly max: number }): FieldDecorator<number> =>
  field({ is: 'degrees', max }, null, options);

/** A number from -1 to 1. */
export const VegetationIndex = (options: Options = {}): FieldDecorator<number> => field({ is: 'vegetation-index' }, null, options);

export const Nested = <T extends object>(
  of: FieldClass<T>,
  { shown = 'whole', ...options }: Options & { readonly shown?: Shown } = {},
): FieldDecorator<T> => field({ is: 'object', of, shown }, shown === 'whole' ? emptyShape(of) : null, options);

export const ListOf = <T extends object>(
  of: FieldClass<T>,
  { shown = 'whole', max = 500, ...options }: Options & { readonly shown?: Shown; readonly max?: number } = {},
): FieldDecorator<readonly T[]> => field({ is: 'list', of, shown, max }, [], options);

function field(kind: Kind, defaultFallback: unknown, options: Options) {
  const { required = false, lookupOnly = false, fallback = defaultFallback, description } = options;
  return (target: object, name: string): void => {
    const own = ownFields.get(target) ?? [];
    ownFields.set(target, [...own, { name, kind, required, lookupOnly, fallback, description }]);
  };
}

/** Returns what a lookup shows of an object of this class if nothing was recorded. */
export function emptyShape(type: FieldClass): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fieldsOf(type).flatMap(({ name, fallback }) => (fallback === ABSENT ? [] : [[name, fallback]])));
}
