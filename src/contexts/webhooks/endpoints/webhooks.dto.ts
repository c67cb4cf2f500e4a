import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import { Input } from '../../../http/validating/dto.js';
import { Cursor, Limit, PER_PAGE } from '../../../http/validating/paging.js';
import { YESTERDAY } from '../../../http/openapi/moving-times.js';
import { OfFarmer, PeriodFrom, PeriodTo } from '../../../http/validating/period-filter.js';
import { Schema } from '../../../http/openapi/properties.js';
import { IsDate8601, IsRupaId, MaxLength, Required } from '../../../http/validating/validation.js';
import { type FieldErrors, sentenceOf } from '../../../kernel/validation-failed.js';
import { type EndpointSettings } from '../domain/events.js';
import { ALL_EVENTS, LOW_BALANCE_TYPE, NAMED_TYPES, SUBSCRIBABLE_TYPES, TEST_TYPE } from '../domain/notification-types.js';
import { MAX_URL } from '../egress/webhook-url.js';
import { DELIVERY_STATUSES, type DeliveryStatus, EVENTS } from './webhook-responses.dto.js';

const URL_SCHEMA = { description: 'URL of the endpoint: https in live mode, and reachable from the public internet.' };

class EndpointDto extends Input {
  @ApiProperty({
    description:
      'Events to subscribe to, or `["*"]` for all events about farmers but `farmer.erased`. Default at registration: all of these.',
  })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @IsIn(EVENTS, { each: true })
  events?: string[] | null;

  @IsOptional()
  @IsString()
  @MaxLength()
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
  @MaxLength(MAX_URL)
  @ApiProperty(URL_SCHEMA)
  url: string;
}

/** Body of an update. A field that is missing or null stays unchanged; an empty name removes the name. */
@Schema('UpdateWebhook', { events: ['*'] })
export class UpdateWebhookDto extends EndpointDto {
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL)
  @ApiProperty(URL_SCHEMA)
  url?: string | null;
}

/** Returns the settings that an input names, each event once, and of those that `*` stands for only `*` if it is there. */
export function settingsOf({ url, name, events }: RegisterWebhookDto | UpdateWebhookDto): Partial<EndpointSettings> {
  const distinct = [...new Set(events)];
  const named = distinct.filter((event) => (NAMED_TYPES as readonly string[]).includes(event));
  const covered = distinct.includes(ALL_EVENTS) ? [ALL_EVENTS, ...named] : distinct;
  return {
    ...(url != null && { url }),
    ...(name != null && { name: name === '' ? null : name }),
    ...(events != null && { events: covered }),
  };
}

export class DeliveriesQueryDto extends Input {
  @IsOptional()
  @IsIn(DELIVERY_STATUSES)
  @ApiProperty({ description: 'Only deliveries of this status.', example: 'exhausted' })
  status?: DeliveryStatus;

  @PeriodFrom('created_at') from?: string;
  @PeriodTo('created_at') to?: string;
  @OfFarmer('deliveries') rupa_id?: string;

  @IsOptional()
  @IsIn([...SUBSCRIBABLE_TYPES, TEST_TYPE])
  @ApiProperty({
    description:
      'Only deliveries of this event. A call looks through 2,000 deliveries, so a page may be short although there is a next one.',
    example: 'farmer.loan_added',
  })
  event?: string;

  @Limit(100, { default: PER_PAGE }) limit?: number;

  @Cursor() cursor?: string;
}

/** Body of a recovery (decisions, "Events"). */
@Schema('RecoverWebhook', { since: YESTERDAY })
export class RecoverWebhookDto extends Input {
  @ApiProperty({ description: 'ISO 8601 date or timestamp, at most 30 days ago: events that were recorded since then are recovered.' })
  @Required()
  @IsDate8601()
  since: string;
}

/** Body of POST /v1/rupa/sandbox/events (decisions, "Sandbox"). */
@Schema('SandboxEvent', { type: 'farmer.loan_added', rupa_id: 'rp-test-gold' })
export class SandboxEventDto extends Input {
  @ApiProperty({ description: 'Type of the notification to make.' })
  @Required()
  @IsIn(SUBSCRIBABLE_TYPES)
  type: string;

  @ApiProperty({ description: 'A sandbox farmer. Required unless `type` is `account.low_balance`, which ignores it.' })
  @IsOptional()
  @IsRupaId()
  rupa_id?: string | null;

  override problems(): FieldErrors {
    const isAboutFarmer = this.type !== LOW_BALANCE_TYPE && (SUBSCRIBABLE_TYPES as readonly string[]).includes(this.type);
    return isAboutFarmer && this.rupa_id == null ? { rupa_id: [sentenceOf('rupa_id', 'is required')] } : {};
  }
}
