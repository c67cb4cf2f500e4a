import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { StoreUnavailable } from '../platform/event-sourcing/event-store.js';

/** Longer than anything that answers at all; what a stalled store still does with the command, it does. */
const DEADLINE_MS = 20_000;

/** For a call whose work grows with the log. */
export function Deadline(ms: number): MethodDecorator {
  return RouteConfig({ deadlineMs: ms });
}

/**
 * Nobody waits for ever: 503, and the caller may send the same again. Fastify's own `handlerTimeout` makes and aborts a signal for
 * every request, which costs more than all other hooks.
 */
export function keepDeadlines(fastify: FastifyInstance): void {
  // Counted from when the body is there: REQUEST_TIMEOUT_MS is for senders.
  fastify.addHook('preHandler', (request, reply, done) => {
    const { deadlineMs = DEADLINE_MS } = request.routeOptions.config as { deadlineMs?: number };
    const late = setTimeout(() => {
      if (!reply.sent && !reply.raw.headersSent) void reply.send(new StoreUnavailable('A request was not done in time.'));
    }, deadlineMs);
    // Also when the caller hangs up.
    reply.raw.once('close', () => {
      clearTimeout(late);
    });
    done();
  });
}
