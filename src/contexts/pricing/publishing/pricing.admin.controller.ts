import { Body, Controller, Delete, Get, Put, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { type Body as ResponseBody, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { Clock } from '../../../kernel/clock.js';
import { NOT_YET_IN_FORCE } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { mapped } from '../../../platform/mapped.js';
import { MayWaitForApproval } from '../../approvals/public.js';
import { GetPriceBook, GetPriceBookHistory } from '../showing/get-price-book.query.js';
import { PriceBookHistory, PriceBookWithScheduleView } from '../showing/price-book-responses.dto.js';
import { publishedPriceBookView, withSchedule } from '../showing/price-book-view.js';
import { DuePriceBooks } from './due-price-books.js';
import { PriceBookDto } from './pricing.dto.js';
import { PublishFees } from './publish-fees.command.js';
import { CancelScheduledFees, ScheduleFees } from '../scheduling/schedule-fees.command.js';

@Controller('admin/v1/price-book')
@AdminApi('Prices')
export class PricingAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly bodies: LargeBodies,
    private readonly due: DuePriceBooks,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Operation('getPriceBook', 'Get the fees in force, and those that are scheduled')
  @Responds(PriceBookWithScheduleView)
  async show(): Promise<Success<PriceBookWithScheduleView>> {
    return success(await this.current());
  }

  @Get('history')
  @Operation('getPriceBookHistory', 'List every version of the price book that is or was in force, the first one first')
  @Responds(PriceBookHistory)
  async history(@Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    const versions = await this.queries.execute(new GetPriceBookHistory());
    return await this.bodies.json<PriceBookHistory>(reply, versions, { versions: mapped(versions, publishedPriceBookView) });
  }

  @Put()
  @Operation('publishPriceBook', 'Publish a new version of the price book, with every fee, at once or at a time')
  @Responds(PriceBookWithScheduleView)
  @MayWaitForApproval
  @Fails(NOT_YET_IN_FORCE)
  async publish(@Body() prices: PriceBookDto, @Actor() actor: string): Promise<Success<PriceBookWithScheduleView>> {
    // The response has what this call has published or scheduled, also if another call has replaced it since.
    if (prices.effective_at == null) {
      const book = await this.commands.execute(new PublishFees(prices, actor));
      return success(withSchedule(book, await this.due.pendingAt(this.clock.iso())));
    }
    const pending = await this.commands.execute(new ScheduleFees(prices, actor));
    return success(withSchedule(await this.queries.execute(new GetPriceBook()), pending));
  }

  @Delete('schedule')
  @Operation('cancelScheduledPriceBook', 'Cancel the fees that are scheduled, if there are any that are not in force yet')
  @Responds(PriceBookWithScheduleView)
  @Fails(NOT_YET_IN_FORCE)
  async cancel(@Actor() actor: string): Promise<Success<PriceBookWithScheduleView>> {
    await this.commands.execute(new CancelScheduledFees(actor));
    return success(await this.current());
  }

  private async current(): Promise<PriceBookWithScheduleView> {
    // Both at one moment, at which the scheduled fees are in force or not.
    const at = this.clock.iso();
    const [book, pending] = await Promise.all([this.queries.execute(new GetPriceBook(at)), this.due.pendingAt(at)]);
    return withSchedule(book, pending);
  }
}
