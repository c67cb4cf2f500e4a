import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { WholeNumber } from '../../../http/validating/dto.js';
import { EXAMPLE, ListOf, Schema, Text } from '../../../http/openapi/properties.js';
import { PageQueryDto } from '../../../http/validating/paging.js';
import { IsRupaId } from '../../../http/validating/validation.js';
import { SUBSCRIBABLE_TYPES } from '../domain/notification-types.js';
import { NOTIFICATION_EXAMPLE } from '../endpoints/webhook-responses.dto.js';
import { Notification } from '../notifying/notification.dto.js';

/** Longest time for which a call may wait for events (decisions, "Events"). */
export const MAX_WAIT_SECONDS = 30;

export class EventsQueryDto extends PageQueryDto {
  @IsOptional()
  @IsIn(SUBSCRIBABLE_TYPES)
  @ApiProperty({ description: 'Only events of this type.', example: 'farmer.loan_added' })
  type?: string;

  @IsOptional()
  @IsRupaId()
  @ApiProperty({ description: 'Only events of this farmer.', example: EXAMPLE.rupa_id })
  rupa_id?: string;

  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(0)
  @Max(MAX_WAIT_SECONDS)
  @ApiProperty({ default: 0, example: 20, description: 'Seconds for which a response without events is held back until there is one.' })
  wait?: number;
}

@Schema('EventPage', { events: [NOTIFICATION_EXAMPLE], next_cursor: 'WyJldmVudHMiLCIxMDQ1MiJd' })
export class EventPage {
  @ListOf(Notification, 'The bodies of the notifications, as they are delivered to endpoints.') readonly events: readonly object[];
  @Text('`cursor` of the next page, also after the last event: ask with it again to get the events that came later.')
  readonly next_cursor: string;
}
