/** The part of the idempotency context that other contexts may import. */
export { IdempotencyKey, TakesIdempotencyKey } from './idempotency-key.js';
export { KEYED_INVALID, STILL_RUNNING } from './idempotency-key.js';
export { KeepsResponses, KeepsResponsesAboutFarmer, KeepsResponsesOfList, OperationId } from './keep-responses.js';
export { type NotStored, StoredLists } from './stored-lists.js';
export { type Lease, LeaseLost, type Stored, StoredResponses } from './stored-responses.js';
