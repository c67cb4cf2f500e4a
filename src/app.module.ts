import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuditModule } from './audit/audit.module.js';
import { ConsentsModule } from './consents/consents.module.js';
import { ContributionsModule } from './contributions/contributions.module.js';
import { FarmersModule } from './farmers/farmers.module.js';
import { HttpModule } from './http/http.module.js';
import { InfrastructureModule } from './infrastructure/infrastructure.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { LookupModule } from './lookup/lookup.module.js';
import { PartnersModule } from './partners/partners.module.js';
import { PricingModule } from './pricing/pricing.module.js';
import { ReadModelsModule } from './read-models/read-models.module.js';
import { type Settings } from './settings.js';
import { StatementsModule } from './statements/statements.module.js';
import { type StoreAddresses } from './stores.js';
import { WalletModule } from './wallet/wallet.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Commands and queries of every context: what HTTP and the command line share. */
@Module({})
export class AppModule {
  static for(settings: Settings, stores: StoreAddresses, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        InfrastructureModule.for(settings, stores, logger),
        HttpModule,
        AuditModule,
        PartnersModule,
        ApiKeysModule,
        WalletModule,
        LedgerModule,
        StatementsModule,
        PricingModule,
        FarmersModule,
        ContributionsModule,
        ConsentsModule,
        LookupModule,
        WebhooksModule,
        ReadModelsModule,
      ],
    };
  }
}
