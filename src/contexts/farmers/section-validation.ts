import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';
import { Nested } from '../../http/dto.js';
import { IsDate8601, IsNaira, MaxLength, Required } from '../../http/validation.js';
import { MAX_TEXT } from '../../kernel/storable.js';
import { type Field, type FieldClass, fieldsOf, type Kind } from './domain/fields.js';
import { MAX_SCORE, MAX_TEXTS } from './domain/record-bounds.js';

const validated = new WeakSet<FieldClass>();

/**
 * Adds class-validator's decorators to the recorded fields of a class and of the classes nested in it. The validator drops fields
 * without decorators, so lookup-only fields cannot be recorded.
 */
export function addValidation(type: FieldClass): void {
  if (validated.has(type)) return;
  validated.add(type);
  for (const field of fieldsOf(type)) if (!field.lookupOnly) validateField(type, field);
}

function validateField(type: FieldClass, { name, kind, required }: Field): void {
  for (const decorate of [...constraints(kind), required ? Required() : IsOptional()]) decorate(type.prototype as object, name);
}

function constraints(kind: Kind): readonly PropertyDecorator[] {
  switch (kind.is) {
    case 'text':
      return [IsString(), MaxLength(kind.max)];
    case 'texts':
      return [IsArray(), ArrayMaxSize(MAX_TEXTS), IsString({ each: true }), MaxLength(MAX_TEXT, { each: true })];
    case 'one-of':
      return [IsIn(kind.values)];
    case 'some-of':
      return [IsIn(kind.values, { each: true }), ArrayMaxSize(kind.values.length), IsArray()];
    case 'date':
    case 'time':
      return [IsDate8601()];
    case 'flag':
      return [IsBoolean()];
    case 'id':
      return [IsInt(), Min(0)];
    case 'amount':
      return [IsNaira(), Min(0)];
    case 'count':
      return [IsInt(), Min(0), ...(kind.max === undefined ? [] : [Max(kind.max)])];
    case 'score':
      return [IsInt(), Min(0), Max(MAX_SCORE)];
    case 'quantity':
      return [IsNumber()];
    case 'size':
      return [IsNumber(), Min(0), Max(kind.max)];
    case 'degrees':
      return [IsNumber(), Min(-kind.max), Max(kind.max)];
    case 'vegetation-index':
      return [IsNumber(), Min(-1), Max(1)];
    case 'object':
      return [nested(kind.of)];
    case 'list':
      return [nested(kind.of, { many: true }), ArrayMaxSize(kind.max), IsArray()];
  }
}

/** Returns the decorator of a nested object, or list of objects, that its class validates. */
export function nested(type: FieldClass, options?: { readonly many: boolean }): PropertyDecorator {
  addValidation(type);
  return Nested(() => type, options);
}
