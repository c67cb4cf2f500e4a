import { ApiKeyHolders } from '../../../http/partner-authentication.js';
import { Global, Module } from '@nestjs/common';
import { PartnersModule } from '../partners.module.js';
import { ApiKeyStream } from './api-key-stream.js';
import { ApiKeysAdminController } from './api-keys.admin.controller.js';
import { ApiKeyUses } from './api-key-uses.js';
import { ChangeApiKeyHandler } from './change-api-key.command.js';
import { DeactivatedKeys } from './deactivated-keys.js';
import { IssueApiKeyHandler } from './issue-api-key.command.js';
import { ListApiKeysHandler } from './list-api-keys.query.js';
import { PartnerDirectory } from './partner-directory.js';

/** Global because the API-key guard of every partner route finds the key's holder in the partner directory. */
@Global()
@Module({
  imports: [PartnersModule],
  controllers: [ApiKeysAdminController],
  providers: [
    ApiKeyStream,
    { provide: ApiKeyHolders, useClass: PartnerDirectory },
    DeactivatedKeys,
    ApiKeyUses,
    IssueApiKeyHandler,
    ChangeApiKeyHandler,
    ListApiKeysHandler,
  ],
  exports: [ApiKeyHolders],
})
export class ApiKeysModule {}
