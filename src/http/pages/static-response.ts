import { type FastifyReply, type FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';

/** A response that is made once. All connections share its buffer, so that clients which do not take it cost no memory. */
interface SharedBody {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

type Headers = Readonly<Record<string, string>>;

/** Browsers may store the file, and ask each time whether it is still current. */
export const REVALIDATED: Headers = { 'Cache-Control': 'public, no-cache' };

/** Returns a handler that responds with a file, which is made at its first request, and with 304 to a client that has it. */
export function staticResponse(
  type: string,
  headers: Headers,
  make: () => string | Buffer,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  let made: SharedBody | undefined;
  return (request, reply) => {
    const { body, etag } = (made ??= shared(type, make()));
    void reply.headers({ ...headers, ETag: etag });
    if (request.headers['if-none-match'] === etag) return reply.status(304).send();
    return reply.type(type).send(body);
  };
}

function shared(type: string, content: string | Buffer): SharedBody {
  const body = Buffer.from(content as string);
  return { type, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
