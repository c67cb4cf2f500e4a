import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { FarmerReader } from './farmer-reader.js';
import { LookUpHandler } from './look-up.command.js';
import { LookupController } from './lookup.controller.js';

@Module({
  imports: [IdempotencyModule, PricingModule, WalletModule],
  controllers: [LookupController],
  providers: [FarmerReader, LookUpHandler],
})
export class LookupModule {}
