import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AdminAuthentication } from './authenticating/admin-authentication.js';
import { CallTickets } from './limiting/call-tickets.js';
import { ErrorFilter } from './errors/error.filter.js';
import { LargeBodies, LargeBodyLimits } from './limiting/large-bodies.js';
import { PartnerAuthentication } from './authenticating/partner-authentication.js';
import { RateLimits } from './limiting/rate-limits.js';
import { RefuseUndeclared } from './validating/refuse-undeclared.js';
import { ValidationPipe } from './validating/validation.js';

/** The authentication, the rate limits, the sending of large bodies, the error filter and the validation pipe of all routes. */
@Global()
@Module({
  providers: [
    RateLimits,
    CallTickets,
    PartnerAuthentication,
    AdminAuthentication,
    LargeBodies,
    LargeBodyLimits,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_GUARD, useClass: RefuseUndeclared },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
  exports: [RateLimits, LargeBodies, PartnerAuthentication],
})
export class HttpModule {}
