import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountModule } from '../contexts/account/account.module.js';
import { ApiKeysModule } from '../contexts/api-keys/api-keys.module.js';
import { AdminAuditModule } from '../contexts/admin-audit/admin-audit.module.js';
import { CheckpointsModule } from '../contexts/checkpoints/checkpoints.module.js';
import { ConsentsModule } from '../contexts/consents/consents.module.js';
import { ContributionsModule } from '../contexts/contributions/contributions.module.js';
import { FarmersModule } from '../contexts/farmers/farmers.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from '../http/http.module.js';
import { PlatformModule, type PlatformModuleOptions } from './platform.module.js';
import { LedgerModule } from '../contexts/ledger/ledger.module.js';
import { LookupModule } from '../contexts/lookup/lookup.module.js';
import { PartnersModule } from '../contexts/partners/partners.module.js';
import { PricingModule } from '../contexts/pricing/pricing.module.js';
import { ReadModelsModule } from '../contexts/read-models/read-models.module.js';
import { SandboxModule } from '../contexts/sandbox/sandbox.module.js';
import { StatementsModule } from '../contexts/statements/statements.module.js';
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
  LedgerModule,
  StatementsModule,
  CheckpointsModule,
  PricingModule,
  FarmersModule,
  ContributionsModule,
  ConsentsModule,
  LookupModule,
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
