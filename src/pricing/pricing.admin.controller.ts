import { Body, Controller, Get, Put, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor, AdminGuard } from '../http/admin.guard.js';
import { success, type Success } from '../http/envelope.js';
import { toNaira } from '../wallet/domain/money.js';
import { type PriceBook } from './domain/price-book.js';
import { GetPriceBook } from './get-price-book.query.js';
import { feesInKobo, PriceBookDto } from './pricing.dto.js';
import { PublishFees } from './publish-fees.command.js';

interface PriceBookView {
  readonly version: number;
  /** NGN. */
  readonly fees: Readonly<Record<string, number>>;
}

@Controller('admin/v1/price-book')
@UseGuards(AdminGuard)
export class PricingAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  async show(): Promise<Success<PriceBookView>> {
    return success(view(await this.queries.execute(new GetPriceBook())));
  }

  @Put()
  async publish(@Body() { fees }: PriceBookDto, @Actor() actor: string): Promise<Success<PriceBookView>> {
    return success(view(await this.commands.execute(new PublishFees(feesInKobo(fees), actor))));
  }
}

function view({ version, fees_kobo }: PriceBook): PriceBookView {
  return { version, fees: Object.fromEntries(Object.entries(fees_kobo).map(([key, fee]) => [key, toNaira(fee)])) };
}
