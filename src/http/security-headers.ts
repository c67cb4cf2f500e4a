import { type FastifyInstance } from 'fastify';

type Headers = Readonly<Record<string, string>>;

const YEAR_SECONDS = 31_536_000;

/** Headers of every response: browsers must not sniff its type, frame it, embed it in other origins or send its URL as referrer. */
const COMMON: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/**
 * Headers of API responses. They are about people and money, so caches must not store them. Pages set their own Content-Security-Policy.
 */
export const RESPONSE_HEADERS: Headers = {
  ...COMMON,
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Headers of the documentation page, the only one that runs scripts. Swagger UI sets inline styles and uses images in data URLs. */
const DOCUMENTATION_HEADERS: Headers = {
  ...COMMON,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Sets the security headers of every response. @param publicUrl Strict-Transport-Security is sent only if it begins with https: */
export function sendSecurityHeaders(fastify: FastifyInstance, publicUrl: string): void {
  const https: Headers = publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` } : {};
  const response = { ...RESPONSE_HEADERS, ...https };
  const documentation = { ...DOCUMENTATION_HEADERS, ...https };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(/^\/docs(\/|$|\?)/.test(request.url) ? documentation : response);
    done();
  });
}
