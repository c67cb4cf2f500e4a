import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';

export type OperationRequest = FastifyRequest & { operationId?: string };

/**
 * Injects a UUID that is the same in every execution of a request with an Idempotency-Key, so that a command which names its event by it
 * has its effect once, even if a process died before the response was stored. Without a key it is a new one.
 */
export const OperationId = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  return context.switchToHttp().getRequest<OperationRequest>().operationId ?? randomUUID();
});
