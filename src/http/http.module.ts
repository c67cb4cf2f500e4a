import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ErrorFilter } from './error.filter.js';
import { RateLimits } from './rate-limits.js';
import { ValidationPipe } from './validation.pipe.js';

/** The rate limits, the error filter and the validation pipe of all routes. */
@Global()
@Module({
  providers: [RateLimits, { provide: APP_FILTER, useClass: ErrorFilter }, { provide: APP_PIPE, useClass: ValidationPipe }],
  exports: [RateLimits],
})
export class HttpModule {}
