import { Controller, Get, Inject, Query } from '@nestjs/common';
import { type Pool } from 'pg';
import { Administrator, assertMayReadPersonalData, Reason, TakesReason } from '../../../http/authenticating/admin-authentication.js';
import { type TokenHolder } from '../../../http/authenticating/admin-tokens.js';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Cursors, PageQueryDto, PER_PAGE } from '../../../http/validating/paging.js';
import { PathParam } from '../../../http/validating/path-parameters.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { unusableAfter } from '../../../platform/unusable-events/unusable-table.js';
import { WitnessStates } from '../witnesses/witness-states.js';
import { LogBrowser } from './log-browser.js';
import {
  LogEvents,
  LogEventsQueryDto,
  SetAsideEvents,
  STREAM,
  STREAM_EVENTS_PER_PAGE,
  STREAM_NOT_FOUND,
  StreamEvents,
  StreamEventsQueryDto,
  WitnessesView,
} from './log-events.dto.js';

const SET_ASIDE_CURSORS = new Cursors('set-aside-events', 'position');
const BEFORE_THE_LOG = '-1';

const NO_DATA = 'Events without their data, as `rupa events tail` prints them. GET /admin/v1/streams/{stream} has the data.';
const PAGE_OF_STREAM =
  'Any stream of the log, newest event first. Personal fields are left out unless `personal=true` asks an administrator’s call with `X-Reason` for them; the audit trail then records stream and reason. The data of events that this release cannot use are left out likewise, because the service cannot tell what in them is personal. 503 `history_missing` for a stream whose events are hidden or gone.';
const UNUSABLE =
  'Events that something else wrote into the service’s streams, or a later release. Calls that need the streams in `holds_up` get 503 until an operator skips the event: `rupa events skip POSITION --reason …`.';
const WITNESSES = 'Which checkpoint each witness of the setting WITNESSES cosigned last, as far as stored cosignatures can be verified.';

/** Shows the newest events of all streams, and the events that cannot be used. */
@Controller('admin/v1/events')
@AdminApi('Log')
export class EventsAdminController {
  constructor(
    private readonly browser: LogBrowser,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {}

  @Get()
  @Operation('listLogEvents', 'List the newest events of the log, of all streams or of a category', NO_DATA)
  @Responds(LogEvents)
  async tail(@Query() { limit = PER_PAGE, category, cursor }: LogEventsQueryDto): Promise<Success<LogEvents>> {
    return success(await this.browser.tail({ limit, category, cursor }));
  }

  @Get('set-aside')
  @Operation('listSetAsideEvents', 'List the events that cannot be used and wait for a decision, in the order of the log', UNUSABLE)
  @Responds(SetAsideEvents)
  async setAside(@Query() { limit = PER_PAGE, cursor }: PageQueryDto): Promise<Success<SetAsideEvents>> {
    const [after] = SET_ASIDE_CURSORS.position(cursor) ?? [];
    const rows = await unusableAfter(this.pool, after ?? BEFORE_THE_LOG, limit + 1);
    const { items, next_cursor } = SET_ASIDE_CURSORS.page(rows, limit, ({ position }) => [position]);
    return success({ events: items, next_cursor });
  }
}

/** Shows any stream of the log. */
@Controller('admin/v1/streams')
@AdminApi('Log')
@STREAM
export class LogBrowserAdminController {
  constructor(private readonly browser: LogBrowser) {}

  @Get(':stream')
  @TakesReason
  @Operation('getStream', 'List the events of a stream with their data, newest first', PAGE_OF_STREAM)
  @Responds(StreamEvents)
  @Fails(STREAM_NOT_FOUND)
  async stream(
    @PathParam('stream', (text) => text) stream: string,
    @Query() { from, limit = STREAM_EVENTS_PER_PAGE, personal = 'false' }: StreamEventsQueryDto,
    @Administrator() administrator: TokenHolder,
    @Reason() reason: string | undefined,
  ): Promise<Success<StreamEvents>> {
    if (personal === 'true') {
      assertMayReadPersonalData(administrator);
      if (reason === undefined) throw new ValidationFailed({ 'X-Reason': ['The X-Reason header is required with personal=true.'] });
    }
    return success(await this.browser.stream(stream, { from, limit, personal: personal === 'true' }));
  }
}

/** Shows what the witnesses of the log have cosigned. */
@Controller('admin/v1/witnesses')
@AdminApi('Checkpoints')
export class WitnessesAdminController {
  constructor(private readonly states: WitnessStates) {}

  @Get()
  @Operation('listWitnesses', 'List the witnesses with the checkpoint that each cosigned last', WITNESSES)
  @Responds(WitnessesView)
  async list(): Promise<Success<WitnessesView>> {
    return success(await this.states.read());
  }
}
