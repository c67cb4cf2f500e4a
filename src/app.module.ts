import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { ConsentsModule } from './consents/consents.module.js';
import { ContributionsModule } from './contributions/contributions.module.js';
import { FarmersModule } from './farmers/farmers.module.js';
import { ErrorFilter } from './http/error.filter.js';
import { HealthController } from './http/health.controller.js';
import { ValidationPipe } from './http/validation.pipe.js';
import { InfrastructureModule } from './infrastructure/infrastructure.module.js';
import { LookupModule } from './lookup/lookup.module.js';
import { PartnersModule } from './partners/partners.module.js';
import { PricingModule } from './pricing/pricing.module.js';
import { type Settings } from './settings.js';
import { type StoreAddresses } from './stores.js';
import { WalletModule } from './wallet/wallet.module.js';

/** Commands and queries of every context: what HTTP and the command line share. */
@Module({})
export class AppModule {
  static for(settings: Settings, stores: StoreAddresses, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        InfrastructureModule.for(settings, stores, logger),
        PartnersModule,
        ApiKeysModule,
        WalletModule,
        PricingModule,
        FarmersModule,
        ContributionsModule,
        ConsentsModule,
        LookupModule,
      ],
      controllers: [HealthController],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_PIPE, useClass: ValidationPipe },
      ],
    };
  }
}
