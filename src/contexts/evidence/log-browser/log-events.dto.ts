import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Count, FreeForm, Integer, ListOf, OneOf, PathParameter, Schema, Text, Texts, Time } from '../../../http/openapi/properties.js';
import { type DocumentedError } from '../../../http/openapi/errors.js';
import { Input, WholeNumber } from '../../../http/validating/dto.js';
import { MaxLength } from '../../../http/validating/validation.js';
import { CURSOR_EXAMPLE, NEXT_CURSOR, PageQueryDto } from '../../../http/validating/paging.js';

const EVENT_STATES = ['usable', 'set_aside', 'skipped', 'foreign'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** Events of a page of a stream. Each has its data, which may take 64 KiB. */
export const STREAM_EVENTS_PER_PAGE = 20;
const STREAM_EVENTS_MAX = 50;

export const STREAM_NOT_FOUND: DocumentedError = {
  name: 'StreamNotFound',
  codes: ['stream_not_found'],
  description: 'No stream of the log has this name. Streams whose names begin with `$` are the event store’s own, and not shown.',
};

export const STREAM = PathParameter({
  name: 'stream',
  description: 'Name of the stream, percent-encoded.',
  schema: { type: 'string' },
  example: 'pricebook-main',
});

export class LogEventsQueryDto extends PageQueryDto {
  @IsOptional()
  @IsString()
  @MaxLength(64)
  @ApiProperty({
    description:
      'Only streams of this category, such as `wallet`. A call reads 2,000 events, so a page may be short although there is a next one.',
    example: 'pricebook',
  })
  category?: string;
}

export class StreamEventsQueryDto extends Input {
  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  @ApiProperty({ description: 'Revision of the newest event to list. Default: that of the newest event.', example: 0 })
  from?: number;

  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(1)
  @Max(STREAM_EVENTS_MAX)
  @ApiProperty({ default: STREAM_EVENTS_PER_PAGE, example: STREAM_EVENTS_PER_PAGE })
  limit?: number;

  @IsOptional()
  @IsIn(['true', 'false'])
  @ApiProperty({
    description: 'True adds personal fields, and the text of events that cannot be used; needs `X-Reason`, and is 403 for auditors.',
    default: 'false',
    example: 'false',
  })
  personal?: 'true' | 'false';
}

const LOG_EVENT = {
  position: '48213',
  stream: 'pricebook-main',
  revision: 0,
  event_id: '4b4f0c0e-3c1f-4f0e-9b1a-0d2b5f6a7c8d',
  type: 'PriceBookPublished',
  recorded_at: '2026-03-09T14:30:00.000Z',
  actor: 'admin:amina',
  state: 'usable',
  reason: null,
};

/** An event of the log without its data. */
@Schema('LogEvent', LOG_EVENT)
export class LogEvent {
  @Text('Position in the log, a whole number in decimal.') readonly position: string;
  @Text() readonly stream: string;
  @Count() readonly revision: number;
  @Text() readonly event_id: string;
  @Text() readonly type: string;
  @Time({ description: 'As the event states it; null if it cannot be used.', nullable: true }) readonly recorded_at: string | null;
  @Text({ description: 'Who caused it; null if the event does not say.', nullable: true }) readonly actor: string | null;
  @OneOf(
    EVENT_STATES,
    'Set aside: it cannot be used, and waits for `rupa events skip`. Skipped: an operator has decided to pass over it. Foreign: its stream is none of the service’s.',
  )
  readonly state: EventState;
  @Text({ description: 'Why it cannot be used, as a clause; null if it can.', nullable: true }) readonly reason: string | null;
}

@Schema('LogEvents', { events: [LOG_EVENT], next_cursor: CURSOR_EXAMPLE })
export class LogEvents {
  @ListOf(LogEvent) readonly events: readonly LogEvent[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

const STREAM_EVENT = {
  ...LOG_EVENT,
  data: { version: 1, vat_percent: 7.5, fees_kobo: { 'svc_fee.identity': 5000 }, actor: 'admin:amina' },
  metadata: { $correlationId: '5a5f1c3e-7a54-4f0b-8b43-7c9f1d2e3b40', schema_version: 1 },
  hidden_fields: [],
  text: null,
};

@Schema('StreamEvent', STREAM_EVENT)
export class StreamEvent extends LogEvent {
  @FreeForm({
    description: 'The data in their current version, without `hidden_fields`; null for an event that this release cannot use.',
    nullable: true,
  })
  readonly data: Readonly<Record<string, unknown>> | null;
  @FreeForm({ description: 'Null for an event that this release cannot use.', nullable: true })
  readonly metadata: Readonly<Record<string, unknown>> | null;
  @Texts(undefined, 'Personal fields of the data that are left out.') readonly hidden_fields: readonly string[];
  @Text({
    description:
      'With `personal=true`: data and metadata of an event that cannot be used, as they are in the log. The service cannot tell what in them is personal.',
    nullable: true,
  })
  readonly text: string | null;
}

@Schema('StreamEvents', { stream: 'pricebook-main', last_revision: 0, events: [STREAM_EVENT], next: null })
export class StreamEvents {
  @Text() readonly stream: string;
  @Count('Revision of the newest event of the stream.') readonly last_revision: number;
  @ListOf(StreamEvent) readonly events: readonly StreamEvent[];
  @Count({ description: 'Revision of the first event of the next page, for `from`; null on the last page.', nullable: true })
  readonly next: number | null;
}

const SET_ASIDE = {
  event_id: '4b4f0c0e-3c1f-4f0e-9b1a-0d2b5f6a7c8d',
  position: '4711',
  stream: 'wallet-0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11',
  revision: 18,
  category: 'wallet',
  type: 'NoteAdded',
  reason: 'its type is unknown to this release',
  holds_up: ['wallet-0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11'],
};

@Schema('SetAsideEvent', SET_ASIDE)
export class SetAsideEvent {
  @Text() readonly event_id: string;
  @Text('Position in the log, for `rupa events skip`.') readonly position: string;
  @Text() readonly stream: string;
  @Count() readonly revision: number;
  @Text() readonly category: string;
  @Text() readonly type: string;
  @Text('Why it cannot be used, as a clause.') readonly reason: string;
  @Texts(undefined, 'Streams whose rows it may concern. Calls that need them get 503.') readonly holds_up: readonly string[];
}

@Schema('SetAsideEvents', { events: [SET_ASIDE], next_cursor: null })
export class SetAsideEvents {
  @ListOf(SetAsideEvent) readonly events: readonly SetAsideEvent[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

const WITNESS = {
  name: 'amina',
  key: 'amina.example/w1+4a7c1d02',
  state: 'behind',
  last_number: 11,
  last_tree_size: 48_102,
  last_at: '2026-03-09T13:00:06.000Z',
  behind: 1,
};
const WITNESS_STATES = ['current', 'behind', 'never'] as const;

@Schema('WitnessState', WITNESS)
export class WitnessStateView {
  @Text('Name in the setting WITNESSES.') readonly name: string;
  @Text('Name and id of its key.') readonly key: string;
  @OneOf(WITNESS_STATES, 'Current: it has cosigned the newest checkpoint. Never: no valid cosignature of it is stored.')
  readonly state: (typeof WITNESS_STATES)[number];
  @Integer({ description: 'Number of the newest checkpoint that it cosigned; null if it cosigned none.', nullable: true })
  readonly last_number: number | null;
  @Integer({ description: 'Number of events that this checkpoint covers.', nullable: true }) readonly last_tree_size: number | null;
  @Time({ nullable: true }) readonly last_at: string | null;
  @Count('Checkpoints that were made since, and that it has not cosigned.') readonly behind: number;
}

@Schema('Witnesses', { newest_number: 12, witnesses: [WITNESS] })
export class WitnessesView {
  @Integer({ description: 'Number of the newest checkpoint; null before the first.', nullable: true }) readonly newest_number:
    number | null;
  @ListOf(WitnessStateView) readonly witnesses: readonly WitnessStateView[];
}
