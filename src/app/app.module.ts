import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { ApiKeysModule } from '../contexts/api-keys/api-keys.module.js';
import { AdminAuditModule } from '../contexts/admin-audit/admin-audit.module.js';
import { ConsentsModule } from '../contexts/consents/consents.module.js';
import { ContributionsModule } from '../contexts/contributions/contributions.module.js';
import { FarmersModule } from '../contexts/farmers/farmers.module.js';
import { HttpModule } from '../http/http.module.js';
import { InfrastructureModule } from './platform.module.js';
import { LedgerModule } from '../contexts/ledger/ledger.module.js';
import { LookupModule } from '../contexts/lookup/lookup.module.js';
import { PartnersModule } from '../contexts/partners/partners.module.js';
import { PricingModule } from '../contexts/pricing/pricing.module.js';
import { ReadModelsModule } from '../contexts/read-models/read-models.module.js';
import { type Settings } from './settings.js';
import { StatementsModule } from '../contexts/statements/statements.module.js';
import { type StoreAddresses } from './stores.js';
import { WalletModule } from '../contexts/wallet/wallet.module.js';
import { WebhooksModule } from '../contexts/webhooks/webhooks.module.js';

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
        AdminAuditModule,
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
