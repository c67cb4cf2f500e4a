import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { ExplainLookupHandler } from './explaining/explain-lookup.query.js';
import { ExplainLookupsOfFarmerHandler, ExplainRequestHandler } from './listing/find-lookups.query.js';
import { GetLookupHandler, GetLookupsHandler } from './listing/get-lookups.query.js';
import { LookupsAdminController } from './listing/lookups.admin.controller.js';
import { LookupsController } from './listing/lookups.controller.js';
import { FarmerReader } from './looking-up/farmer-reader.js';
import { LookupBilling } from './looking-up/lookup-billing.js';
import { LookUpHandler } from './looking-up/look-up.command.js';
import { LookupController } from './looking-up/lookup.controller.js';

@Module({
  imports: [IdempotencyModule, PricingModule, ReportsModule, WalletModule],
  controllers: [LookupController, LookupsController, LookupsAdminController],
  providers: [
    FarmerReader,
    LookupBilling,
    LookUpHandler,
    GetLookupsHandler,
    GetLookupHandler,
    ExplainLookupHandler,
    ExplainLookupsOfFarmerHandler,
    ExplainRequestHandler,
  ],
})
export class LookupsModule {}
