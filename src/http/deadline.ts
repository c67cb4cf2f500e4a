import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';

/** Nobody waits for ever. Longer than anything that answers at all; what a stalled store still does with the command, it does. */
export const DEADLINE_MS = 20_000;

/** For a call whose work grows with the log. */
export function Deadline(ms: number): MethodDecorator {
  return RouteConfig({ deadlineMs: ms });
}

/** Gives the routes with a deadline of their own theirs; all others have that of the server. */
export function keepDeadlines(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const { deadlineMs } = (route.config ?? {}) as { deadlineMs?: number };
    if (deadlineMs !== undefined) route.handlerTimeout = deadlineMs;
  });
}

/** The caller may send the same again. */
export function isTooLate(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'FST_ERR_HANDLER_TIMEOUT';
}
