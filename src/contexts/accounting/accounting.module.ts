import { Module } from '@nestjs/common';
import { GetTrialBalanceHandler } from './books/get-trial-balance.query.js';
import { ReconcilePaymentsHandler } from './reconciling/reconcile-payments.query.js';
import { ReconcileBankTextHandler } from './reconciling/reconcile-bank-text.query.js';
import { LedgerAdminController } from './books/ledger.admin.controller.js';

@Module({ controllers: [LedgerAdminController], providers: [GetTrialBalanceHandler, ReconcilePaymentsHandler, ReconcileBankTextHandler] })
export class AccountingModule {}
