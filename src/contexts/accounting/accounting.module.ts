import { Module } from '@nestjs/common';
import { ClosedDays } from './books/closed-days.js';
import { GetJournalHandler } from './books/get-journal.query.js';
import { GetPrepaidHandler } from './prepaid/get-prepaid.query.js';
import { GetRevenueHandler } from './books/get-revenue.query.js';
import { GetRunningOutHandler } from './prepaid/get-running-out.query.js';
import { GetTrialBalanceHandler } from './books/get-trial-balance.query.js';
import { LedgerAdminController } from './books/ledger.admin.controller.js';
import { ReportReads } from './books/report-reads.js';
import { ReportsAdminController } from './books/reports.admin.controller.js';
import { ClosePeriodHandler } from './closing/close-period.command.js';
import { GetPeriodsHandler } from './closing/get-periods.query.js';
import { MonthReads } from './closing/month-reads.js';
import { PeriodsAdminController } from './closing/periods.admin.controller.js';
import { LedgerEntriesAdminController } from './posting/ledger-entries.admin.controller.js';
import { PostLedgerEntryHandler } from './posting/post-ledger-entry.command.js';
import { ReconcileBankFileHandler } from './reconciling/reconcile-bank-file.query.js';
import { GetStatementHandler } from './statements/get-statement.query.js';
import { GetStatementRunHandler } from './statement-runs/get-statement-run.query.js';
import { StatementFiles } from './statement-runs/statement-files.js';
import { StatementRunsAdminController } from './statement-runs/statement-runs.admin.controller.js';
import { StatementZips } from './statement-runs/statement-zips.js';
import { Statements } from './statements/statements.js';
import { StatementBodies } from './statements/statement-bodies.js';
import { StatementsAdminController } from './statements/statements.admin.controller.js';
import { StatementsController } from './statements/statements.controller.js';

@Module({
  controllers: [
    LedgerAdminController,
    ReportsAdminController,
    LedgerEntriesAdminController,
    PeriodsAdminController,
    StatementsController,
    StatementsAdminController,
    StatementRunsAdminController,
  ],
  providers: [
    ClosedDays,
    ReportReads,
    GetTrialBalanceHandler,
    GetJournalHandler,
    GetPrepaidHandler,
    PostLedgerEntryHandler,
    MonthReads,
    ClosePeriodHandler,
    GetPeriodsHandler,
    ReconcileBankFileHandler,
    GetRevenueHandler,
    GetRunningOutHandler,
    GetStatementHandler,
    Statements,
    StatementBodies,
    GetStatementRunHandler,
    StatementFiles,
    StatementZips,
  ],
})
export class AccountingModule {}
