import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Required } from '../http/validation.js';
import { ALL, NOTIFICATION_TYPES } from './domain/notification-types.js';

const EVENTS = [...NOTIFICATION_TYPES, ALL];

/** Interface 4.6. */
export class RegisterWebhookDto {
  @Required()
  @IsString()
  url: string;

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @IsIn(EVENTS, { each: true })
  events?: string[] | null;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  name?: string | null;
}

/** Any of them; one that is not sent, or null, stays. An empty name takes the name away. */
export class UpdateWebhookDto {
  @IsOptional()
  @IsString()
  url?: string | null;

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @IsIn(EVENTS, { each: true })
  events?: string[] | null;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  name?: string | null;
}

export class DeliveriesQueryDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number;

  /** Of the page before; opaque to the caller. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  cursor?: string;
}
