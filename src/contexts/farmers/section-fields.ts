import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { IsDate8601, IsNaira } from '../../http/validation.js';

const MAX_TEXT = 255;
const MAX_LIST = 100;
const MAX_COUNT = 1_000_000_000;

/** Text or null; null and missing are alike. */
export function OptionalText(length = MAX_TEXT): PropertyDecorator {
  return applyDecorators(IsOptional(), IsString(), MaxLength(length));
}

export function OptionalTexts(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsArray(), ArrayMaxSize(MAX_LIST), IsString({ each: true }), MaxLength(MAX_TEXT, { each: true }));
}

export function OptionalFlag(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsBoolean());
}

/** NGN, at least 0. */
export function OptionalAmount(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsNaira(), Min(0));
}

export function OptionalCount(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsInt(), Min(0), Max(MAX_COUNT));
}

/** Every section says how old it is. */
export class DatedDto {
  @IsOptional()
  @IsDate8601()
  data_as_of?: string | null;
}
