import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '../contexts/approvals/approvals.module.js';
import { EvidenceModule } from '../contexts/evidence/evidence.module.js';
import { ConsentsModule } from '../contexts/consents/consents.controller.js';
import { ReportsModule } from '../contexts/reports/reports.module.js';
import { FiguresModule } from '../contexts/figures/figures.module.js';
import { FarmersModule } from '../contexts/farmers/farmers.module.js';
import { HealthModule } from '../operations/health/health.controller.js';
import { HttpModule } from '../http/http.module.js';
import { PlatformModule, type PlatformModuleOptions } from './platform.module.js';
import { AccountingModule } from '../contexts/accounting/accounting.module.js';
import { LookupsModule } from '../contexts/lookups/lookups.module.js';
import { PartnersModule } from '../contexts/partners/partners.module.js';
import { PricingModule } from '../contexts/pricing/pricing.module.js';
import { MaintenanceModule } from '../contexts/maintenance/maintenance.module.js';
import { RebuildingModule } from '../contexts/rebuilding/rebuilding.module.js';
import { OwnKeysModule } from '../contexts/own-keys/own-keys.controller.js';
import { SandboxModule } from '../contexts/sandbox/sandbox.controller.js';
import { WalletModule } from '../contexts/wallet/wallet.module.js';
import { WebhooksModule } from '../contexts/webhooks/webhooks.module.js';

/** The modules with all controllers, commands and queries. */
export const FEATURES: readonly Type[] = [
  HttpModule,
  HealthModule,
  PartnersModule,
  ApprovalsModule,
  WalletModule,
  AccountingModule,
  EvidenceModule,
  PricingModule,
  FarmersModule,
  ReportsModule,
  ConsentsModule,
  LookupsModule,
  WebhooksModule,
  SandboxModule,
  OwnKeysModule,
  RebuildingModule,
  FiguresModule,
  MaintenanceModule,
];

/** The application that the HTTP service and the command line share: every context, on a connected platform. */
@Module({})
export class AppModule {
  static for(platform: PlatformModuleOptions): DynamicModule {
    return { module: AppModule, imports: [CqrsModule.forRoot(), PlatformModule.for(platform), ...FEATURES] };
  }
}
