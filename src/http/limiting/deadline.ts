import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type HookHandlerDoneFunction } from 'fastify';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { rulesOf, withRules } from '../route-rules.js';

/** Longer than any call takes while the stores respond. A stalled store may still execute the command after the deadline. */
const DEADLINE_MS = 20_000;
/** The calls that got a 503 because of their deadline. */
const late = new WeakSet<FastifyRequest>();

/** Sets a longer deadline for a route whose work grows with the log. */
export function Deadline(ms: number): MethodDecorator {
  return withRules({ deadlineMs: ms });
}

type TimedRequest = FastifyRequest & { endAuthentication?: () => void };

/**
 * Responds 503 to calls that exceed their deadline; the caller may retry. The authentication and the handler have one each, because the body
 * arrives in between: REQUEST_TIMEOUT_MS limits that time. Fastify's own `handlerTimeout` creates an abort signal for every request, which
 * costs more than all other hooks together.
 */
export function enforceDeadlines(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request: TimedRequest, reply, done) => {
    request.endAuthentication = beginDeadline(request, reply, Math.min(deadlineOf(request), DEADLINE_MS));
    done();
  });
  fastify.addHook('preParsing', (request: TimedRequest, _reply, payload, done) => {
    request.endAuthentication?.();
    done(null, payload);
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    beginDeadline(request, reply, deadlineOf(request));
    done();
  });
}

/**
 * Makes a hook of work that waits for a store. If the call gets its 503 meanwhile, it goes no further: Nest would set the status of the route
 * also on a response that was sent, so a lookup would take its 503 for a 200, and settle its charge.
 */
export function hookOf(
  work: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void {
  return (request, reply, done) => {
    work(request, reply).then(
      () => {
        if (!late.has(request)) done();
      },
      (error: unknown) => {
        if (!late.has(request)) done(error as Error);
      },
    );
  };
}

function deadlineOf(request: FastifyRequest): number {
  return rulesOf(request).deadlineMs ?? DEADLINE_MS;
}

/** Returns a function that ends the deadline. */
function beginDeadline(request: FastifyRequest, reply: FastifyReply, ms: number): () => void {
  const timer = setTimeout(() => {
    if (reply.sent || reply.raw.headersSent) return;
    late.add(request);
    void reply.send(new StoreUnavailable('A request was not done in time.'));
  }, ms);
  const end = (): void => {
    clearTimeout(timer);
    reply.raw.off('close', end);
  };
  // `close` is also emitted when the caller disconnects, which it may have done while the body arrived.
  reply.raw.once('close', end);
  if (reply.raw.closed) end();
  return end;
}

/** Injects an AbortSignal that is aborted when the caller disconnects, so that long work can stop. */
export const CallerGone = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const gone = new AbortController();
  context
    .switchToHttp()
    .getResponse<FastifyReply>()
    .raw.once('close', () => {
      gone.abort();
    });
  return gone.signal;
});
