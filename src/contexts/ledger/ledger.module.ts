import { Module } from '@nestjs/common';
import { GetTrialBalanceHandler } from './get-trial-balance.query.js';
import { ReconcilePaymentsHandler } from './reconcile-payments.query.js';
import { ReconcileBankTextHandler } from './reconcile-bank-text.query.js';
import { LedgerAdminController } from './ledger.admin.controller.js';

@Module({ controllers: [LedgerAdminController], providers: [GetTrialBalanceHandler, ReconcilePaymentsHandler, ReconcileBankTextHandler] })
export class LedgerModule {}
