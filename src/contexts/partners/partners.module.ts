import { Module } from '@nestjs/common';
import { FarmersModule } from '../farmers/farmers.module.js';
import { ChangePartnerHandler } from './change-partner.command.js';
import { GetComplianceHandler } from './get-compliance.query.js';
import { GetPartnerHandler, GetPartnersPageHandler, ListPartnersHandler } from './get-partners.query.js';
import { GetLowBalanceThresholdHandler, SetLowBalanceThresholdHandler } from './low-balance.js';
import { PartnerStream } from './partner-stream.js';
import { PartnersAdminController } from './partners.admin.controller.js';
import { RegisterPartnerHandler } from './register-partner.command.js';
import { RegisteredPartners } from './registered-partners.js';

@Module({
  imports: [FarmersModule],
  controllers: [PartnersAdminController],
  providers: [
    PartnerStream,
    RegisterPartnerHandler,
    ChangePartnerHandler,
    GetPartnerHandler,
    ListPartnersHandler,
    GetPartnersPageHandler,
    GetComplianceHandler,
    SetLowBalanceThresholdHandler,
    GetLowBalanceThresholdHandler,
    RegisteredPartners,
  ],
  exports: [RegisteredPartners],
})
export class PartnersModule {}
