/** JSON Schema, as far as it is used here; the linter and the tests know the rest. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}
export type Properties = Readonly<Record<string, Schema>>;

/** An object of an answer: every property is always there, unless it is named as optional. */
export function shape(properties: Properties, optional: readonly string[] = []): Schema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

/** An object of a request: only what is named as required must be there. */
export function form(properties: Properties, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

export function list(items: Schema, more: Schema = {}): Schema {
  return { ...more, type: 'array', items };
}

export function nullable(schema: Schema): Schema {
  const values = schema.enum ? { enum: [...new Set([...schema.enum, null])] } : {};
  return { ...schema, ...values, type: [...new Set([schema.type ?? [], 'null'].flat())] };
}

export function text(description?: string, more: Schema = {}): Schema {
  return { type: 'string', ...(description ? { description } : {}), ...more };
}

export function oneOf(values: readonly string[], description?: string): Schema {
  return { type: 'string', enum: values, ...(description ? { description } : {}) };
}

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const time = (description?: string): Schema => text(description, { format: 'date-time' });
/** A date or a timestamp, as it was sent. */
export const date = (description?: string): Schema => text(description, { examples: ['2026-03-01'] });
/** NGN unless a currency stands beside it; at most two decimals. */
export const amount = (description?: string): Schema => ({ type: 'number', minimum: 0, ...(description ? { description } : {}) });
export const rupaId: Schema = text('1–64 letters, digits and hyphens; compared and answered in lower case.', {
  maxLength: 64,
  examples: ['rp-spvyqbds'],
});
