import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { PermanentStoreError } from '../platform/event-sourcing/event-store.js';
import { CommandAbandoned, StreamContended } from '../platform/event-sourcing/stream-writer.js';
import { LOGGER } from '../platform/injection-tokens.js';
import { NotYetInForce } from '../platform/projecting/not-yet-in-force.js';
import { Outages, storeOutage } from '../platform/store-outages.js';
import { failure } from './envelope.js';
import { TooManyRequests } from './rate-limits.js';
import { ErrorResponses } from './error-responses.js';
import { Unauthenticated } from './unauthenticated.js';
import { ValidationFailed } from '../kernel/validation-failed.js';

/** A projector that failed restarts within seconds. */
const IN_FORCE_RETRY_SECONDS = 5;
const BUSY = 'The service is busy. Please retry with backoff.';

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
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    const { status, message, data } = this.responseTo(error, host);
    if (error instanceof Unauthenticated) reply.header('WWW-Authenticate', error.challenge);
    if (status === 429 || status === 503) reply.header('Retry-After', retryAfterSeconds(error));
    void reply.status(status).send(failure(message, data));
  }

  private responseTo(error: unknown, host: ArgumentsHost): { status: number; message: string; data?: object | undefined } {
    if (error instanceof ValidationFailed) return { status: 422, message: 'Validation Error', data: { errors: error.errors } };
    const rejection = this.rejections.to(error);
    if (rejection) return rejection;
    if (error instanceof TooManyRequests)
      return { status: 429, message: 'Too many requests. Retry after the time in the Retry-After header.' };
    if (error instanceof HttpException) return fromNest(error);
    if (error instanceof CommandAbandoned) return { status: 503, message: BUSY };
    if (error instanceof NotYetInForce) {
      this.logger.warn({ err: error }, 'a change is recorded, but not yet in force');
      return { status: 503, message: error.message };
    }
    const status = (error as { statusCode?: unknown }).statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500) return fromFastify(status);
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const call = { err: error, method: request.method, route: request.routeOptions.url, correlation_id: request.id };
    const outage = storeOutage(error);
    if (outage === undefined) {
      this.logger.error(call, 'a request failed');
      // The event store refuses something for good, such as this service's user. That is no fault of the request, either.
      return isTemporary(error)
        ? { status: 503, message: BUSY }
        : { status: 500, message: 'Something went wrong on our side. Please retry with backoff.' };
    }
    if (this.outages.isNew(error))
      this.logger.warn({ ...call, reason: outage }, 'requests get 503 because a store is unavailable; further ones are not logged here');
    return { status: 503, message: BUSY };
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof StreamContended || error instanceof PermanentStoreError;
}

function retryAfterSeconds(error: unknown): number {
  if (error instanceof TooManyRequests) return error.retryAfterSeconds;
  return error instanceof NotYetInForce ? IN_FORCE_RETRY_SECONDS : 1;
}

function fromNest(error: HttpException): { status: number; message: string } {
  const status = error.getStatus();
  // Only the service itself throws these statuses. Messages of Nest and Fastify name routes and parsers, so they are replaced.
  const hasOwnMessage = [401, 403, 409, 503].includes(status);
  return hasOwnMessage ? { status, message: error.message } : fromFastify(status);
}

function fromFastify(status: number): { status: number; message: string } {
  switch (status) {
    case 400:
      return { status, message: 'The request body is not valid JSON.' };
    case 404:
      return { status, message: 'No such endpoint. See the API documentation.' };
    case 413:
      return { status, message: 'The request body is larger than 64 KiB.' };
    case 415:
      return { status, message: 'Send the request body as application/json.' };
    default:
      return { status, message: 'The request cannot be understood.' };
  }
}
