import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { COUNTED_DELIVERIES } from '../../../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { Count, EXAMPLE, ListOf, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { NEXT_CURSOR, PageQueryDto } from '../../../http/validating/paging.js';
import { ENDPOINT_EXAMPLE, WebhookEndpoint } from './webhook-responses.dto.js';

export class EndpointsQueryDto extends PageQueryDto {
  @ApiProperty({
    description: 'True: only endpoints whose attempts fail, or that were disabled because they did; false: only the others.',
    example: 'true',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  failing?: 'true' | 'false';
}

const WATCHED = {
  ...ENDPOINT_EXAMPLE,
  partner_id: EXAMPLE.partner_id,
  failing_since: '2026-03-09T14:30:00.000Z',
  pending: 12,
  exhausted: 3,
};

/** A partner's endpoint as an operator watches it (admin, "Operators"). */
@Schema('WatchedEndpoint', WATCHED)
export class WatchedEndpoint extends WebhookEndpoint {
  @Text() readonly partner_id: string;
  @Time({ nullable: true, description: 'Since when every attempt has failed; null if the last one succeeded.' })
  readonly failing_since: string | null;
  @Count(`Deliveries that wait for an attempt, counted up to ${COUNTED_DELIVERIES}.`) readonly pending: number;
  @Count(`Deliveries that failed for good and are still listed, counted up to ${COUNTED_DELIVERIES}.`) readonly exhausted: number;
}

@Schema('WatchedEndpoints', { endpoints: [WATCHED], next_cursor: null })
export class WatchedEndpoints {
  @ListOf(WatchedEndpoint) readonly endpoints: readonly WatchedEndpoint[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}
