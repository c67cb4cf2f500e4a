import { Module } from '@nestjs/common';
import { PricingModule } from '../pricing/pricing.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { FarmerReader } from './farmer-reader.js';
import { StoredResponses } from './stored-responses.js';
import { LookUpFarmerHandler } from './look-up-farmer.command.js';
import { LookUpOnceHandler } from './look-up-once.command.js';
import { LookupController } from './lookup.controller.js';

@Module({
  imports: [PricingModule, WalletModule],
  controllers: [LookupController],
  providers: [FarmerReader, StoredResponses, LookUpFarmerHandler, LookUpOnceHandler],
})
export class LookupModule {}
