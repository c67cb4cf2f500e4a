import { Module } from '@nestjs/common';
import { ExpiredResponses } from './expired-responses.js';
import { KeepResponsesInterceptor } from './keep-responses.js';
import { ResponseKey } from './response-key.js';
import { StoredLists } from './stored-lists.js';
import { StoredResponses } from './stored-responses.js';

/** Responses by Idempotency-Key. */
@Module({
  providers: [ResponseKey, StoredResponses, StoredLists, ExpiredResponses, KeepResponsesInterceptor],
  exports: [StoredResponses, StoredLists, KeepResponsesInterceptor],
})
export class IdempotencyModule {}
