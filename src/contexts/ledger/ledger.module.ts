import { Module } from '@nestjs/common';
import { GetTrialBalanceHandler } from './get-trial-balance.query.js';
import { LedgerAdminController } from './ledger.admin.controller.js';

@Module({ controllers: [LedgerAdminController], providers: [GetTrialBalanceHandler] })
export class LedgerModule {}
