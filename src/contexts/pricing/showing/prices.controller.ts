import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../../http/envelope.js';
import { Operation, PartnerApi, Responds } from '../../../http/openapi/operation.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { KOBO_PER_CREDIT, toNaira } from '../../../kernel/money.js';
import { priceLookup } from '../domain/price-book.js';
import { GetPriceBook } from './get-price-book.query.js';
import { priceBookView } from './price-book-view.js';
import { Prices } from './prices.dto.js';

@Controller('v1/rupa/prices')
@PartnerApi('Account')
export class PricesController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Operation('getPrices', 'Get the fees in force, and the price of a lookup of every section that you may read')
  @Responds(Prices)
  async show(@Caller() { allowed_sections }: PartnerContext): Promise<Success<Prices>> {
    const book = await this.queries.execute(new GetPriceBook());
    const amount_kobo = Object.values(priceLookup(book, allowed_sections, false)).reduce((sum, fee) => sum + fee, 0);
    const { version, fees, vat_percent } = priceBookView(book);
    return success({
      version,
      currency: 'NGN',
      fees,
      vat_percent,
      prices_include_vat: true,
      lookup: { sections: allowed_sections, amount: toNaira(amount_kobo) },
      credit_value: toNaira(KOBO_PER_CREDIT),
    });
  }
}
