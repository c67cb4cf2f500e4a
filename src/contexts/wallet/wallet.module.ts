import { Module } from '@nestjs/common';
import { PartnersModule } from '../partners/partners.module.js';
import { Charges } from './charges.js';
import { CompensateLookupHandler } from './compensate-lookup.command.js';
import { CreditWalletHandler } from './credit-wallet.command.js';
import { ExplainLookupHandler } from './explain-lookup.query.js';
import { ExplainLookupsOfFarmerHandler, ExplainRequestHandler } from './find-lookups.query.js';
import { GetWalletBalanceHandler } from './get-wallet-balance.query.js';
import { GetWalletEntriesHandler } from './get-wallet-entries.query.js';
import { GetWalletHeadHandler } from './get-wallet-head.query.js';
import { ListBalancesHandler } from './list-balances.query.js';
import { ListNewestEntriesHandler } from './list-newest-entries.query.js';
import { GetLookupHandler, GetLookupsHandler } from './get-lookups.query.js';
import { LookupsAdminController } from './lookups.admin.controller.js';
import { LookupsController } from './lookups.controller.js';
import { ReverseCreditHandler } from './reverse-credit.command.js';
import { StaleCharges } from './stale-charges.js';
import { VerifyWalletHandler } from './verify-wallet.query.js';
import { WalletExport } from './wallet-export.js';
import { WalletHistory } from './wallet-history.js';
import { WalletStream } from './wallet-stream.js';
import { WalletController } from './wallet.controller.js';
import { WalletAdminController } from './wallet.admin.controller.js';

@Module({
  imports: [PartnersModule],
  controllers: [WalletController, WalletAdminController, LookupsController, LookupsAdminController],
  providers: [
    WalletStream,
    Charges,
    StaleCharges,
    WalletHistory,
    WalletExport,
    CreditWalletHandler,
    ReverseCreditHandler,
    CompensateLookupHandler,
    GetWalletBalanceHandler,
    GetWalletEntriesHandler,
    ListNewestEntriesHandler,
    ListBalancesHandler,
    GetWalletHeadHandler,
    GetLookupsHandler,
    GetLookupHandler,
    VerifyWalletHandler,
    ExplainLookupHandler,
    ExplainLookupsOfFarmerHandler,
    ExplainRequestHandler,
  ],
  exports: [Charges],
})
export class WalletModule {}
