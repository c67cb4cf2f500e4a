import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ErrorFilter } from './error.filter.js';
import { RateLimits } from './rate-limits.js';
import { ValidationPipe } from './validation.pipe.js';

/** What every route shares. */
@Global()
@Module({
  providers: [RateLimits, { provide: APP_FILTER, useClass: ErrorFilter }, { provide: APP_PIPE, useClass: ValidationPipe }],
  exports: [RateLimits],
})
export class HttpModule {}
