import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Converted } from '../../http/dto.js';
import { Schema } from '../../http/openapi/example.js';
import { Required } from '../../http/validation.js';
import { EVENTS } from './webhook-responses.dto.js';

const URL_FACTS = { description: 'https in live mode; reachable from the public internet.', maxLength: 2048 };
export const DELIVERIES_A_PAGE = 20;

class EndpointDto {
  @ApiProperty({ description: 'Default at registration: all, as `["*"]`.' })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @IsIn(EVENTS, { each: true })
  events?: string[] | null;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  @ApiProperty({ description: 'A label of your own.' })
  name?: string | null;
}

/** Interface 4.6. */
@Schema('RegisterWebhook', {
  url: 'https://partner.example/hooks/rupa',
  name: 'main',
  events: ['farmer.loan_added', 'farmer.loan_repaid'],
})
export class RegisterWebhookDto extends EndpointDto {
  @Required()
  @IsString()
  @ApiProperty(URL_FACTS)
  url: string;
}

/** Any of them; one that is not sent, or null, stays. An empty name takes the name away. */
@Schema('UpdateWebhook', { events: ['*'] })
export class UpdateWebhookDto extends EndpointDto {
  @IsOptional()
  @IsString()
  @ApiProperty(URL_FACTS)
  url?: string | null;
}

export class DeliveriesQueryDto {
  @IsOptional()
  @Converted(Number)
  @IsInt()
  @Min(1)
  @Max(100)
  @ApiProperty({ default: DELIVERIES_A_PAGE, example: DELIVERIES_A_PAGE })
  limit?: number;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  @ApiProperty({ description: '`next_cursor` of the page before.', example: 'ZDkwMjEw' })
  cursor?: string;
}
