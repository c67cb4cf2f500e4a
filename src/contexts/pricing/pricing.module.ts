import { Module } from '@nestjs/common';
import { GetPriceBookHandler, GetPriceBookHistoryHandler } from './showing/get-price-book.query.js';
import { CancelScheduledFeesHandler, ScheduleFeesHandler } from './scheduling/schedule-fees.command.js';
import { ScheduledPublication } from './scheduling/scheduled-publication.js';
import { PricesController } from './showing/prices.controller.js';
import { PricingAdminController } from './publishing/pricing.admin.controller.js';
import { DuePriceBooks } from './publishing/due-price-books.js';
import { PublishFeesHandler } from './publishing/publish-fees.command.js';

@Module({
  controllers: [PricesController, PricingAdminController],
  providers: [
    DuePriceBooks,
    PublishFeesHandler,
    ScheduleFeesHandler,
    CancelScheduledFeesHandler,
    ScheduledPublication,
    GetPriceBookHandler,
    GetPriceBookHistoryHandler,
  ],
  exports: [GetPriceBookHandler],
})
export class PricingModule {}
