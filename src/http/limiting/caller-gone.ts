import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyReply } from 'fastify';

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
