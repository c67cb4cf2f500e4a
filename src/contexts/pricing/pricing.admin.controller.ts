import { Body, Controller, Get, Put, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor, AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { GetPriceBook } from './get-price-book.query.js';
import { GetPriceBookHistory } from './get-price-book-history.query.js';
import { type PriceBookView, priceBookView, type PublishedPriceBookView, publishedPriceBookView } from './price-book-view.js';
import { feesInKobo, PriceBookDto } from './pricing.dto.js';
import { PublishFees } from './publish-fees.command.js';

@Controller('admin/v1/price-book')
@UseGuards(AdminGuard)
export class PricingAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  async show(): Promise<Success<PriceBookView>> {
    return success(priceBookView(await this.queries.execute(new GetPriceBook())));
  }

  @Get('history')
  async history(): Promise<Success<{ versions: readonly PublishedPriceBookView[] }>> {
    const versions = await this.queries.execute(new GetPriceBookHistory());
    return success({ versions: versions.map(publishedPriceBookView) });
  }

  @Put()
  async publish(@Body() { fees }: PriceBookDto, @Actor() actor: string): Promise<Success<PriceBookView>> {
    return success(priceBookView(await this.commands.execute(new PublishFees(feesInKobo(fees), actor))));
  }
}
