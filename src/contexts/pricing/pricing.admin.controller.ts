import { Body, Controller, Get, Put, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Actor } from '../../http/admin-authentication.js';
import { success, type Success } from '../../http/envelope.js';
import { type Body as ResponseBody, LargeBodies } from '../../http/large-bodies.js';
import { INVALID, NOT_YET_IN_FORCE } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { mapped } from '../../platform/mapped.js';
import { GetPriceBook } from './get-price-book.query.js';
import { GetPriceBookHistory } from './get-price-book-history.query.js';
import { PriceBookHistory, PriceBookView } from './price-book-responses.dto.js';
import { priceBookView, publishedPriceBookView } from './price-book-view.js';
import { feesInKobo, PriceBookDto } from './pricing.dto.js';
import { PublishFees } from './publish-fees.command.js';

@Controller('admin/v1/price-book')
@AdminApi('Prices')
export class PricingAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly bodies: LargeBodies,
  ) {}

  @Get()
  @Operation('getPriceBook', 'Get the fees in force')
  @Responds(PriceBookView)
  async show(): Promise<Success<PriceBookView>> {
    return success(priceBookView(await this.queries.execute(new GetPriceBook())));
  }

  @Get('history')
  @Operation('getPriceBookHistory', 'List every version of the price book, the built-in one first')
  @Responds(PriceBookHistory)
  async history(@Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    const versions = await this.queries.execute(new GetPriceBookHistory());
    return await this.bodies.json<PriceBookHistory>(reply, versions, { versions: mapped(versions, publishedPriceBookView) });
  }

  @Put()
  @Operation('publishPriceBook', 'Publish a new version of the price book, with every fee')
  @Responds(PriceBookView)
  @Fails(INVALID, NOT_YET_IN_FORCE)
  async publish(@Body() { fees }: PriceBookDto, @Actor() actor: string): Promise<Success<PriceBookView>> {
    return success(priceBookView(await this.commands.execute(new PublishFees(feesInKobo(fees), actor))));
  }
}
