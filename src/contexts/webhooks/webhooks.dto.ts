import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Input, WholeNumber } from '../../http/dto.js';
import { CURSOR_LENGTH_MAX, CURSOR_SCHEMA, PER_PAGE } from '../../http/paging.js';
import { Schema } from '../../http/openapi/example.js';
import { IsDate8601, MaxLength, Required } from '../../http/validation.js';
import { EVENTS } from './webhook-responses.dto.js';

const URL_SCHEMA = { description: 'URL of the endpoint: https in live mode, and reachable from the public internet.', maxLength: 2048 };

class EndpointDto extends Input {
  @ApiProperty({ description: 'Events to subscribe to, or `["*"]` for all events about farmers. Default at registration: all of these.' })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @IsIn(EVENTS, { each: true })
  events?: string[] | null;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  @ApiProperty({ description: 'A label of your choice.' })
  name?: string | null;
}

/** Body of a registration (interface, section 4.6). */
@Schema('RegisterWebhook', {
  url: 'https://partner.example/hooks/rupa',
  name: 'main',
  events: ['farmer.loan_added', 'farmer.loan_repaid'],
})
export class RegisterWebhookDto extends EndpointDto {
  @Required()
  @IsString()
  @ApiProperty(URL_SCHEMA)
  url: string;
}

/** Body of an update. A field that is missing or null stays unchanged; an empty name removes the name. */
@Schema('UpdateWebhook', { events: ['*'] })
export class UpdateWebhookDto extends EndpointDto {
  @IsOptional()
  @IsString()
  @ApiProperty(URL_SCHEMA)
  url?: string | null;
}

export class DeliveriesQueryDto extends Input {
  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(1)
  @Max(100)
  @ApiProperty({ default: PER_PAGE, example: PER_PAGE })
  limit?: number;

  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_LENGTH_MAX)
  @ApiProperty(CURSOR_SCHEMA)
  cursor?: string;
}

/** Body of a recovery (decisions, "Events"). */
@Schema('RecoverWebhook', { since: '2026-03-01T09:00:00Z' })
export class RecoverWebhookDto extends Input {
  @ApiProperty({ description: 'ISO 8601 date or timestamp, at most 30 days ago: events that were recorded since then are recovered.' })
  @Required()
  @IsDate8601()
  since: string;
}
