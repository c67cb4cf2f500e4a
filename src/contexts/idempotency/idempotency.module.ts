import { Module } from '@nestjs/common';
import { ExpiredResponses } from './expired-responses.js';
import { KeepResponsesInterceptor } from './keep-responses.js';
import { ResponseKey } from './response-key.js';
import { StoredResponses } from './stored-responses.js';

/** Responses by Idempotency-Key. */
@Module({
  providers: [ResponseKey, StoredResponses, ExpiredResponses, KeepResponsesInterceptor],
  exports: [StoredResponses, KeepResponsesInterceptor],
})
export class IdempotencyModule {}
