import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { finished } from 'node:stream';

/** A body of at most so many times what its route takes is read to its end. */
const DISCARDED_TIMES = 8;

/**
 * Reads a body that is too large to its end, and throws it away, before it is refused. A client that is still sending when the connection is
 * closed may never see the response.
 */
export function discardOversizedBodies(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    if (!isDiscarded(request)) {
      done(null, payload);
      return;
    }
    payload.resume();
    finished(payload, () => {
      done(Object.assign(new Error('The body is too large.'), { statusCode: 413 }));
    });
  });
}

/** The framework ignores the bodies of GET and of unknown paths. */
function isDiscarded({ method, is404, headers, routeOptions: { bodyLimit } }: FastifyRequest): boolean {
  if (is404 || method === 'GET' || method === 'HEAD') return false;
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes > bodyLimit && bytes <= bodyLimit * DISCARDED_TIMES;
}
