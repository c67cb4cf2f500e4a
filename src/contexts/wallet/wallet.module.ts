import { Module } from '@nestjs/common';
import { PartnersModule } from '../partners/partners.module.js';
import { ChargeLookupHandler } from './charge-lookup.command.js';
import { RefundChargeHandler, SettleChargeHandler } from './close-charge.command.js';
import { CreditWalletHandler } from './credit-wallet.command.js';
import { ExplainLookupHandler } from './explain-lookup.query.js';
import { GetWalletBalanceHandler } from './get-wallet-balance.query.js';
import { GetWalletEntriesHandler } from './get-wallet-entries.query.js';
import { StaleCharges } from './stale-charges.js';
import { VerifyWalletHandler } from './verify-wallet.query.js';
import { WalletStream } from './wallet-stream.js';
import { WalletAdminController } from './wallet.admin.controller.js';

@Module({
  imports: [PartnersModule],
  controllers: [WalletAdminController],
  providers: [
    WalletStream,
    StaleCharges,
    ChargeLookupHandler,
    SettleChargeHandler,
    RefundChargeHandler,
    CreditWalletHandler,
    GetWalletBalanceHandler,
    GetWalletEntriesHandler,
    VerifyWalletHandler,
    ExplainLookupHandler,
  ],
  exports: [ChargeLookupHandler, RefundChargeHandler],
})
export class WalletModule {}
