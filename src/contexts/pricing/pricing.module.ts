import { Module } from '@nestjs/common';
import { GetPriceBookHandler } from './get-price-book.query.js';
import { GetPriceBookHistoryHandler } from './get-price-book-history.query.js';
import { GetScheduledFeesHandler } from './get-scheduled-fees.query.js';
import { CancelScheduledFeesHandler, ScheduleFeesHandler } from './schedule-fees.command.js';
import { PriceScheduleStream } from './price-schedule-stream.js';
import { ScheduledPublication } from './scheduled-publication.js';
import { PriceBookStream } from './price-book-stream.js';
import { PricesController } from './prices.controller.js';
import { PricingAdminController } from './pricing.admin.controller.js';
import { PublishFeesHandler } from './publish-fees.command.js';

@Module({
  controllers: [PricesController, PricingAdminController],
  providers: [
    PriceBookStream,
    PriceScheduleStream,
    PublishFeesHandler,
    ScheduleFeesHandler,
    CancelScheduledFeesHandler,
    ScheduledPublication,
    GetPriceBookHandler,
    GetPriceBookHistoryHandler,
    GetScheduledFeesHandler,
  ],
  exports: [GetPriceBookHandler],
})
export class PricingModule {}
