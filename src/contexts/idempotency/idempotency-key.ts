import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { INVALID } from '../../http/openapi/common-errors.js';
import { type DocumentedError } from '../../http/openapi/errors.js';

const HEADER = 'idempotency-key';
const PRINTABLE = /^[ -~]{1,255}$/;

/**
 * Injects the request's Idempotency-Key, or undefined if it has none (decisions, "Retrying a lookup").
 * @throws ValidationFailed if the key is not 1 to 255 printable ASCII characters
 */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | undefined =>
  idempotencyKeyOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Returns the key like {@link IdempotencyKey}. */
export function idempotencyKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers[HEADER];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && PRINTABLE.test(key)) return key;
  throw new ValidationFailed({ 'Idempotency-Key': ['The Idempotency-Key header must have 1 to 255 printable characters.'] });
}

/** Documents the header on a route that takes it. */
export const TakesIdempotencyKey = ApiHeader({
  name: 'Idempotency-Key',
  description:
    'A key of your choice, 1–255 printable ASCII characters. For 24 hours, a retry with the same key and request gets the stored response; nothing is done or billed again.',
  schema: { type: 'string', pattern: PRINTABLE.source },
});

export const STILL_RUNNING: DocumentedError = {
  name: 'StillRunning',
  codes: ['idempotency_in_progress'],
  description: 'A request with this Idempotency-Key is still running; retry shortly.',
};

export const KEYED_INVALID: DocumentedError = {
  ...INVALID,
  name: 'KeyedValidationError',
  codes: ['validation_failed', 'idempotency_key_reused'],
  description:
    'A field is missing, invalid or unknown, a query parameter is, the body or the query is not UTF-8, or the Idempotency-Key was used with another request. `data.errors` has the messages.',
};
