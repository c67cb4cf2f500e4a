import { ApiParam, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/** JSON Schema keywords of a property, beside those that its kind implies. */
export interface Facts {
  readonly description?: string;
  readonly nullable?: boolean;
  /** False where a response may leave the property out. */
  readonly required?: boolean | readonly string[];
  readonly [keyword: string]: unknown;
}

/** A description alone is the common case. */
type Said = string | Facts;

function property(kind: Facts, said: Said = {}): PropertyDecorator {
  const facts = typeof said === 'string' ? { description: said } : said;
  return ApiProperty({ ...kind, ...facts } as ApiPropertyOptions);
}

export const Text = (said?: Said): PropertyDecorator => property({ type: 'string' }, said);
export const Flag = (said?: Said): PropertyDecorator => property({ type: 'boolean' }, said);
/** A number that may have decimals or be negative. */
export const Decimal = (said?: Said): PropertyDecorator => property({ type: 'number' }, said);
export const Integer = (said?: Said): PropertyDecorator => property({ type: 'integer' }, said);
export const Count = (said?: Said): PropertyDecorator => property({ type: 'integer', minimum: 0 }, said);
/** An identifier that the service assigns: a positive whole number. */
export const Id = (said?: Said): PropertyDecorator => property({ type: 'integer', minimum: 1 }, said);
/** NGN with at most two decimals, never negative. */
export const Naira = (said: Said = 'NGN.'): PropertyDecorator => property({ type: 'number', minimum: 0 }, said);
/** A timestamp in UTC, ISO 8601. */
export const Time = (said?: Said): PropertyDecorator => property({ type: 'string', format: 'date-time' }, said);
export const OneOf = (values: readonly string[], said?: Said): PropertyDecorator => property({ type: 'string', enum: values }, said);
/** A flag that is always true. */
export const AlwaysTrue = (): PropertyDecorator => property({ type: 'boolean', const: true });
export const RupaId = (said?: Said): PropertyDecorator => property(RUPA_ID, said);

/** Amounts in NGN by the fee's key. */
export const NairaByFee = (said?: Said): PropertyDecorator =>
  property({ type: 'object', additionalProperties: { type: 'number', minimum: 0, description: 'NGN.' } }, said);

/** A list of strings, of one of some values where they are named. */
export function Texts(values?: readonly string[], said?: Said): PropertyDecorator {
  return property({ type: 'array', items: { type: 'string', ...(values ? { enum: values } : {}) } }, said);
}

/** A nested object. */
export const Nested = (type: object, said?: Said): PropertyDecorator => property({ type }, said);
export const ListOf = (type: object, said?: Said): PropertyDecorator => property({ type: [type] }, said);

/** What is true of a Rupa ID wherever it stands. */
export const RUPA_ID = {
  type: 'string',
  description: '1–64 letters, digits and hyphens; compared case-insensitively, returned in lower case.',
  maxLength: 64,
  examples: ['rp-spvyqbds'],
} as const;

/** A nested object that is written out, of which some properties are required. */
export function Shaped(properties: Readonly<Record<string, Facts>>, required: readonly string[], more: Facts = {}): PropertyDecorator {
  return property({ type: 'object', properties, required, selfRequired: true }, more);
}

export const RUPA_ID_PARAMETER = ApiParam({
  name: 'rupaId',
  description: 'The farmer’s Rupa ID.',
  schema: { type: 'string', maxLength: RUPA_ID.maxLength },
  example: 'rp-spvyqbds',
});
