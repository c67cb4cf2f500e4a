import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountModule } from '../contexts/wallet/account/account.module.js';
import { ApiKeysModule } from '../contexts/partners/keys/api-keys.module.js';
import { AdminAuditModule } from '../contexts/evidence/audit-trail/admin-audit.module.js';
import { CheckpointsModule } from '../contexts/evidence/checkpoints/checkpoints.module.js';
import { ConsentsModule } from '../contexts/consents/consents.module.js';
import { ReportsModule } from '../contexts/reports/reports.module.js';
import { FarmersModule } from '../contexts/farmers/farmers.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from '../http/http.module.js';
import { PlatformModule, type PlatformModuleOptions } from './platform.module.js';
import { AccountingModule } from '../contexts/accounting/accounting.module.js';
import { LookupsModule } from '../contexts/lookups/lookups.module.js';
import { PartnersModule } from '../contexts/partners/partners.module.js';
import { PricingModule } from '../contexts/pricing/pricing.module.js';
import { ReadModelsModule } from '../contexts/rebuilding/read-models.module.js';
import { SandboxModule } from '../contexts/sandbox/sandbox.module.js';
import { StatementsModule } from '../contexts/accounting/statements/statements.module.js';
import { WalletModule } from '../contexts/wallet/wallet.module.js';
import { WebhooksModule } from '../contexts/webhooks/webhooks.module.js';

/** The modules with all controllers, commands and queries. */
export const FEATURES: readonly Type[] = [
  HttpModule,
  HealthModule,
  AdminAuditModule,
  PartnersModule,
  AccountModule,
  ApiKeysModule,
  WalletModule,
  AccountingModule,
  StatementsModule,
  CheckpointsModule,
  PricingModule,
  FarmersModule,
  ReportsModule,
  ConsentsModule,
  LookupsModule,
  WebhooksModule,
  SandboxModule,
  ReadModelsModule,
];

/** The application that the HTTP service and the command line share: every context, on a connected platform. */
@Module({})
export class AppModule {
  static for(platform: PlatformModuleOptions): DynamicModule {
    return { module: AppModule, imports: [CqrsModule.forRoot(), PlatformModule.for(platform), ...FEATURES] };
  }
}
