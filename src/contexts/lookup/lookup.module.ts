import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { FarmerReader } from './farmer-reader.js';
import { LookUpFarmerHandler } from './look-up-farmer.command.js';
import { LookUpOnceHandler } from './look-up-once.command.js';
import { LookupController } from './lookup.controller.js';

@Module({
  imports: [IdempotencyModule, PricingModule, WalletModule],
  controllers: [LookupController],
  providers: [FarmerReader, LookUpFarmerHandler, LookUpOnceHandler],
})
export class LookupModule {}
