import { Module } from '@nestjs/common';
import { KeepResponsesInterceptor } from './keep-responses.js';
import { ResponseKey } from './response-key.js';
import { StoredResponses } from './stored-responses.js';

/** Responses by Idempotency-Key. */
@Module({
  providers: [ResponseKey, StoredResponses, KeepResponsesInterceptor],
  exports: [StoredResponses, KeepResponsesInterceptor],
})
export class IdempotencyModule {}
