import { Module } from '@nestjs/common';
import { MeController } from './account/me.controller.js';
import { Charges } from './charging/charges.js';
import { EarlierKeys } from './charging/earlier-keys.js';
import { CompensateLookupHandler } from './crediting/compensate-lookup.command.js';
import { CreditWalletHandler } from './crediting/credit-wallet.command.js';
import { GetWalletBalanceHandler } from './entries/get-wallet-balance.query.js';
import { GetWalletEntriesHandler } from './entries/get-wallet-entries.query.js';
import { GetWalletHeadHandler } from './entries/get-wallet-head.query.js';
import { ListBalancesHandler } from './entries/list-balances.query.js';
import { ListNewestEntriesHandler } from './entries/list-newest-entries.query.js';
import { PayOutHandler } from './crediting/pay-out.command.js';
import { ReverseCreditHandler } from './crediting/reverse-credit.command.js';
import { StaleCharges } from './charging/stale-charges.js';
import { VerifyWalletHandler } from './verifying/verify-wallet.query.js';
import { WalletExport } from './verifying/wallet-export.js';
import { WalletHistory } from './verifying/wallet-history.js';
import { WalletController } from './wallet.controller.js';
import { WalletDecisions } from './crediting/wallet-decisions.js';
import { WalletAdminController } from './wallet.admin.controller.js';

@Module({
  controllers: [MeController, WalletController, WalletAdminController],
  providers: [
    Charges,
    EarlierKeys,
    StaleCharges,
    WalletHistory,
    WalletDecisions,
    WalletExport,
    CreditWalletHandler,
    ReverseCreditHandler,
    PayOutHandler,
    CompensateLookupHandler,
    GetWalletBalanceHandler,
    GetWalletEntriesHandler,
    ListNewestEntriesHandler,
    ListBalancesHandler,
    GetWalletHeadHandler,
    VerifyWalletHandler,
  ],
  exports: [Charges],
})
export class WalletModule {}
