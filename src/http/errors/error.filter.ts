import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { HistoryMissing, PermanentStoreError } from '../../platform/event-sourcing/event-store.js';
import { CommandAbandoned, StreamContended } from '../../platform/event-sourcing/writing/batch.js';
import { RowForged } from '../../platform/projecting/row-macs.js';
import { EventSetAside } from '../../platform/event-sourcing/coding/unusable-event.js';
import { LOGGER } from '../../platform/injection-tokens.js';
import { DataKeyMissing } from '../../platform/key-store/data-keys.js';
import { CiphertextUnusable } from '../../platform/key-store/encryption.js';
import { NotYetInForce } from '../../platform/projecting/in-memory/in-force.js';
import { ReadModelBehind } from '../../platform/projecting/read-models.js';
import { Outages, storeOutage } from '../../platform/store-outages.js';
import { currentRequest } from '../../platform/tracing/request-context.js';
import { ADMIN_ROUTES } from '../authenticating/authenticate-requests.js';
import { ApiError } from './api-error.js';
import { Failures } from '../envelope.js';
import { type ErrorCode, ERRORS, HISTORY_RETRY_SECONDS } from './error-codes.js';
import { rulesOf } from '../route-rules.js';
import { FILE_TOO_LARGE } from '../validating/request-body.js';
import { LIST_TOO_LARGE } from '../limiting/many-at-once.js';
import { TooManyRequests } from '../limiting/rate-limits.js';
import { ErrorResponses } from './error-responses.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';

/** Administrators read this in place of the sentence that asks partners to contact them. */
const BRING_BACK =
  'The history of a stream that this call needs is missing, and nothing was changed. An operator has to bring it back: rupa doctor names the stream.';
/** A projector that failed restarts within seconds. */
const IN_FORCE_RETRY_SECONDS = 5;

interface ErrorResponse {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly data?: object | undefined;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/**
 * Turns every error into a response in the envelope. A store that is unavailable is logged once per outage. Unexpected errors are logged in
 * full, and their response reveals nothing of them.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly outages = new Outages();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly rejections: ErrorResponses,
    private readonly failures: Failures,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    const { code, message, data, headers = {} } = this.responseTo(error, host);
    const { status } = ERRORS[code];
    if (status === 429 || status === 503) reply.header('Retry-After', retryAfterSeconds(error));
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    void reply.status(status).send(this.failures.of(code, message, data));
  }

  private responseTo(error: unknown, host: ArgumentsHost): ErrorResponse {
    if (error instanceof ApiError) {
      if (error.cause instanceof HistoryMissing) return this.historyMissing(error.cause, host);
      if (storeOutage(error.cause) !== undefined) this.logOutage(error.cause, host);
      return error;
    }
    if (error instanceof ValidationFailed) return { code: 'validation_failed', data: { errors: error.errors } };
    const rejection = this.rejections.to(error);
    if (rejection) return rejection;
    if (error instanceof TooManyRequests) return { code: 'rate_limited', ...(error.told !== undefined && { message: error.told }) };
    if (error instanceof HttpException) return refusalOf(error.getStatus(), host);
    if (error instanceof CommandAbandoned) return { code: 'unavailable' };
    if (error instanceof EventSetAside || error instanceof RowForged || error instanceof NotYetInForce) {
      if (error instanceof NotYetInForce) this.logger.warn({ err: error }, 'a change is recorded, but not yet in force');
      return { code: 'unavailable', message: error.message, data: namedBy(error) };
    }
    if (error instanceof CiphertextUnusable || error instanceof DataKeyMissing) {
      // The message may name a farmer.
      const { err: _, ...request } = described(error, host);
      this.logger.error({ ...request, reason: error.name }, 'a request gets 503 because of a key or a ciphertext in the database');
      return { code: 'unavailable' };
    }
    if (error instanceof HistoryMissing) return this.historyMissing(error, host);
    const status = (error as { statusCode?: unknown }).statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500) return refusalOf(status, host);
    if (storeOutage(error) !== undefined) {
      this.logOutage(error, host);
      if (!(error instanceof ReadModelBehind)) return { code: 'unavailable' };
      return { code: 'unavailable', message: error.message, data: namedBy(error) };
    }
    this.logger.error(described(error, host), 'a request failed');
    // The event store refuses something for good, such as this service's user. That is no fault of the request, either.
    return { code: isTemporary(error) ? 'unavailable' : 'internal_error' };
  }

  /** The name of a stream may hold a Rupa ID, so neither the response nor the log has it. Each stream is logged once, when it is found. */
  private historyMissing(error: HistoryMissing, host: ArgumentsHost): ErrorResponse {
    const { category, oldest, last } = error;
    const found = { category, oldest: oldest?.toString() ?? null, last: last?.toString() ?? null };
    this.logger.debug(found, 'a request gets 503 because the history of a stream is missing: rupa doctor names the stream');
    const { url = '' } = host.switchToHttp().getRequest<FastifyRequest>().routeOptions;
    return url.startsWith(ADMIN_ROUTES) ? { code: 'history_missing', message: BRING_BACK } : { code: 'history_missing' };
  }

  private logOutage(error: unknown, host: ArgumentsHost): void {
    // PostgreSQL cancels the statements of a caller that is gone, which is no outage.
    if (currentRequest()?.call?.ended || !this.outages.isNew(error)) return;
    const outage = { ...described(error, host), reason: storeOutage(error) };
    this.logger.warn(outage, 'requests get 503 because a store is unavailable; further ones are not logged here');
  }
}

/** Returns the `data` of a 503, which names the read model that it is about (admin, "Settings"). */
function namedBy({ readModel }: { readonly readModel?: string | undefined }): object | undefined {
  return readModel === undefined ? undefined : { read_model: readModel };
}

function described(error: unknown, host: ArgumentsHost) {
  const request = host.switchToHttp().getRequest<FastifyRequest>();
  return { err: error, method: request.method, route: request.routeOptions.url, correlation_id: request.id };
}

function isTemporary(error: unknown): boolean {
  return error instanceof StreamContended || error instanceof PermanentStoreError;
}

function retryAfterSeconds(error: unknown): number {
  if (error instanceof TooManyRequests) return error.retryAfterSeconds;
  if (error instanceof HistoryMissing || (error instanceof ApiError && error.cause instanceof HistoryMissing)) return HISTORY_RETRY_SECONDS;
  return error instanceof NotYetInForce ? IN_FORCE_RETRY_SECONDS : 1;
}

function refusalOf(status: number, host: ArgumentsHost): ErrorResponse {
  const code = codeOf(status);
  if (code !== 'body_too_large') return { code };
  const { takesTable, takesMany } = rulesOf(host.switchToHttp().getRequest<FastifyRequest>());
  if (takesTable) return { code, message: FILE_TOO_LARGE };
  return takesMany ? { code, message: LIST_TOO_LARGE } : { code };
}

/** Returns the code for a status of Nest or Fastify, whose messages name routes and parsers. */
function codeOf(status: number): ErrorCode {
  switch (status) {
    case 400:
      return 'malformed_json';
    case 404:
      return 'route_not_found';
    case 413:
      return 'body_too_large';
    case 415:
      return 'unsupported_media_type';
    default:
      return status < 500 ? 'malformed_request' : 'internal_error';
  }
}
