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
 * Headers of responses. Most are about people and money, so caches must not store them. Pages set their own Content-Security-Policy, and
 * those of the documentation their own Cache-Control.
 */
export const RESPONSE_HEADERS: Headers = {
  ...COMMON,
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Sets the security headers of every response. @param publicUrl Strict-Transport-Security is sent only if it begins with https: */
export function sendSecurityHeaders(fastify: FastifyInstance, publicUrl: string): void {
  const https: Headers = publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` } : {};
  const headers = { ...RESPONSE_HEADERS, ...https };
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
