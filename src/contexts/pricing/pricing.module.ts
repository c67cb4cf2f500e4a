import { Module } from '@nestjs/common';
import { GetPriceBookHandler } from './get-price-book.query.js';
import { GetPriceBookHistoryHandler } from './get-price-book-history.query.js';
import { PriceBookStream } from './price-book-stream.js';
import { PricingAdminController } from './pricing.admin.controller.js';
import { PublishFeesHandler } from './publish-fees.command.js';
import { QuoteLookupHandler } from './quote-lookup.query.js';

@Module({
  controllers: [PricingAdminController],
  providers: [PriceBookStream, PublishFeesHandler, GetPriceBookHandler, GetPriceBookHistoryHandler, QuoteLookupHandler],
})
export class PricingModule {}
