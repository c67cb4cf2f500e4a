import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Required } from '../../http/validation.js';
import { ALL, NOTIFICATION_TYPES } from './domain/notification-types.js';

const EVENTS = [...NOTIFICATION_TYPES, ALL];

class EndpointDto {
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

/** Interface 4.6. */
export class RegisterWebhookDto extends EndpointDto {
  @Required()
  @IsString()
  url: string;
}

/** Any of them; one that is not sent, or null, stays. An empty name takes the name away. */
export class UpdateWebhookDto extends EndpointDto {
  @IsOptional()
  @IsString()
  url?: string | null;
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
