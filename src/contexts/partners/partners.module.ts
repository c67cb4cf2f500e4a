import { Module } from '@nestjs/common';
import { FarmersModule } from '../farmers/farmers.module.js';
import { ChangePartnerHandler } from './registering/change-partner.command.js';
import { GetComplianceHandler } from './complying/get-compliance.query.js';
import { GetPartnerHandler, GetPartnersPageHandler, ListPartnersHandler } from './registering/get-partners.query.js';
import { GetLowBalanceThresholdHandler, SetLowBalanceThresholdHandler } from './low-balance.js';
import { PartnerStream } from './registering/partner-stream.js';
import { PartnersAdminController } from './registering/partners.admin.controller.js';
import { RegisterPartnerHandler } from './registering/register-partner.command.js';
import { RegisteredPartners } from './registering/registered-partners.js';

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
