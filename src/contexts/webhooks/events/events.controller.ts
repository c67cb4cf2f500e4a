import { Controller, Get, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { CallerGone, Deadline } from '../../../http/limiting/deadline.js';
import { success, type Success } from '../../../http/envelope.js';
import { Operation, PartnerApi, Responds } from '../../../http/openapi/operation.js';
import { PER_PAGE } from '../../../http/validating/paging.js';
import { PartnerAuthentication } from '../../../http/authenticating/partner-authentication.js';
import { Caller, type PartnerContext, type PartnerRequest } from '../../../http/authenticating/partner-context.js';
import { EventPage, EventsQueryDto, MAX_WAIT_SECONDS } from './events.dto.js';
import { GetEvents } from './get-events.query.js';

const SECOND_MS = 1_000;
/** Time for the work of a call that has waited as long as it may. */
const WORK_MS = 20_000;

const DESCRIPTION = [
  'What you were notified of, or would have been with an endpoint, in the order of `sequence`, for 30 days. The events are those of the farmers on your roster at the moment of the call, since their consent, those of your account, and the erasure of each farmer for whom you hold or held a consent.',
  'A page may have fewer events than `limit` although there are more: go on with `next_cursor` until a page is empty. An empty page returns the cursor of the request, which goes on to work.',
].join(' ');

/** Lists a partner's events (decisions, "Events"). */
@Controller('v1/rupa/events')
@PartnerApi('Webhooks')
export class EventsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly authentication: PartnerAuthentication,
  ) {}

  @Get()
  @Deadline(MAX_WAIT_SECONDS * SECOND_MS + WORK_MS)
  @Operation('listEvents', 'List your events, oldest first, and wait for the next one', DESCRIPTION)
  @Responds(EventPage)
  async list(
    @Caller() partner: PartnerContext,
    @Query() { limit = PER_PAGE, cursor, type, rupa_id: rupaId, wait = 0 }: EventsQueryDto,
    @CallerGone() gone: AbortSignal,
    @Req() request: PartnerRequest,
  ): Promise<Success<EventPage>> {
    const page = await this.queries.execute(new GetEvents(partner, { type, rupaId }, { limit, cursor, waitMs: wait * SECOND_MS }, gone));
    // The key may have been deactivated while the call waited.
    if (wait > 0) await this.authentication.admitAgain(request);
    return success(page);
  }
}
