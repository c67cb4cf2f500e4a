export type * from './api-types.generated.js';
export { type FollowQuery, type ListedEvent } from './calls/events.js';
export { type ExportedEntry } from './calls/wallet.js';
export { type Chunk, ChunkedCalls, type ChunkOptions, type Items, type Progress } from './chunked-calls.js';
export * from './error-classes.generated.js';
export { type LastResponse, type RateLimit, type WithResponse } from './last-response.js';
export { type Page, PagedList } from './paged-list.js';
export { RupaApiError } from './rupa-api-error.js';
export { type LookUpAll, type LookUpAllOptions, type ReportAll, RupaClient } from './rupa-client.js';
export { RupaConnectionError, RupaError, RupaTimeoutError, RupaUnexpectedResponseError } from './rupa-error.js';
export { TEST_FARMERS } from './test-farmers.js';
export { type CallOptions, type RupaClientOptions } from './transport.js';
export {
  type IncomingHeaders,
  type VerifyOptions,
  type WebhookEvent,
  webhooks,
  WebhookVerificationError,
  WebhookVerifier,
} from './verify-webhook.js';
