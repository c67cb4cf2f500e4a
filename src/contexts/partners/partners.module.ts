import { Global, Module } from '@nestjs/common';
import { ApiKeyHolders } from '../../http/authenticating/partner-authentication.js';
import { FarmersModule } from '../farmers/farmers.module.js';
import { GetComplianceHandler } from './complying/get-compliance.query.js';
import { ApiKeyUses, PartnerDirectory } from './keys/partner-directory.js';
import { ApiKeysAdminController } from './keys/api-keys.admin.controller.js';
import { ChangeApiKeyHandler } from './keys/change-api-key.command.js';
import { DeactivatedKeys, KeyEnds } from './keys/key-ends.js';
import { IssueApiKeyHandler } from './keys/issue-api-key.command.js';
import { ListApiKeysHandler } from './keys/list-api-keys.query.js';
import { ListOwnKeysHandler } from './keys/own-keys.query.js';
import { RotateApiKeyHandler } from './keys/rotate-api-key.command.js';
import { RotatedKeys } from './keys/rotated-keys.js';
import { GetLowBalanceThresholdHandler, SetLowBalanceThresholdHandler } from './low-balance.js';
import { ChangePartnerHandler } from './registering/change-partner.command.js';
import { Customers } from './registering/customers.js';
import { GetPartnerHandler, GetPartnersPageHandler, ListPartnersHandler } from './registering/get-partners.query.js';
import { PartnersAdminController } from './registering/partners.admin.controller.js';
import { RegisteredPartners } from './registering/registered-partners.js';
import { ResetSandboxHandler } from './reset-sandbox.command.js';
import { RegisterPartnerHandler } from './registering/register-partner.command.js';

/** Global because the API-key guard of every partner route finds the key's holder in the partner directory. */
@Global()
@Module({
  imports: [FarmersModule],
  controllers: [PartnersAdminController, ApiKeysAdminController],
  providers: [
    RegisterPartnerHandler,
    ChangePartnerHandler,
    GetPartnerHandler,
    ListPartnersHandler,
    GetPartnersPageHandler,
    GetComplianceHandler,
    SetLowBalanceThresholdHandler,
    GetLowBalanceThresholdHandler,
    RegisteredPartners,
    Customers,
    { provide: ApiKeyHolders, useClass: PartnerDirectory },
    DeactivatedKeys,
    ApiKeyUses,
    IssueApiKeyHandler,
    ChangeApiKeyHandler,
    ListApiKeysHandler,
    KeyEnds,
    RotatedKeys,
    RotateApiKeyHandler,
    ListOwnKeysHandler,
    ResetSandboxHandler,
  ],
  exports: [RegisteredPartners, Customers, ApiKeyHolders],
})
export class PartnersModule {}
