import { Module } from '@nestjs/common';
import { ExpiredResponses } from './expired-responses.js';
import { KeepResponsesInterceptor } from './keep-responses.js';
import { ResponseKey, StoredResponses } from './stored-responses.js';
import { StoredLists } from './stored-lists.js';

/** Responses by Idempotency-Key. */
@Module({
  providers: [ResponseKey, StoredResponses, StoredLists, ExpiredResponses, KeepResponsesInterceptor],
  exports: [StoredResponses, StoredLists, KeepResponsesInterceptor],
})
export class IdempotencyModule {}
