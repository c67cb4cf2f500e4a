import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { StoreUnavailable } from '../platform/event-sourcing/event-store.js';

/** Longer than any call takes while the stores respond. A stalled store may still execute the command after the deadline. */
const DEADLINE_MS = 20_000;

/** Sets a longer deadline for a route whose work grows with the log. */
export function Deadline(ms: number): MethodDecorator {
  return RouteConfig({ deadlineMs: ms });
}

/**
 * Responds 503 to calls that exceed their deadline; the caller may retry. Fastify's own `handlerTimeout` creates an abort signal for every
 * request, which costs more than all other hooks together.
 */
export function enforceDeadlines(fastify: FastifyInstance): void {
  // The deadline starts when the body has arrived. REQUEST_TIMEOUT_MS limits the time before that.
  fastify.addHook('preHandler', (request, reply, done) => {
    const { deadlineMs = DEADLINE_MS } = request.routeOptions.config as { deadlineMs?: number };
    const late = setTimeout(() => {
      if (!reply.sent && !reply.raw.headersSent) void reply.send(new StoreUnavailable('A request was not done in time.'));
    }, deadlineMs);
    // `close` is also emitted when the caller disconnects.
    reply.raw.once('close', () => {
      clearTimeout(late);
    });
    done();
  });
}
