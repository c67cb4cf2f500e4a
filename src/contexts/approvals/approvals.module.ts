import { Global, Module } from '@nestjs/common';
import { ApprovalsAdminController } from './approvals.admin.controller.js';
import { FourEyes } from './four-eyes.js';
import { ListApprovalsHandler } from './list-approvals.query.js';

/** Global because the handlers of every context whose calls may need a second person register with it. */
@Global()
@Module({ controllers: [ApprovalsAdminController], providers: [FourEyes, ListApprovalsHandler], exports: [FourEyes] })
export class ApprovalsModule {}
