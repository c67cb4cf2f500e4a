import { type FastifyInstance } from 'fastify';

type Headers = Readonly<Record<string, string>>;

const YEAR_SECONDS = 31_536_000;

/** Of every answer: no browser may run, frame, guess or refer to anything in it. */
const COMMON: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Answers are about persons and money: nobody between us and the caller keeps one. Pages say more precisely what they load. */
export const ANSWER_HEADERS: Headers = {
  ...COMMON,
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The documentation's page is the one that runs scripts: its own. Its tool sets styles by itself and draws with data URLs. */
const DOCUMENTATION_HEADERS: Headers = {
  ...COMMON,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** @param publicUrl decides whether browsers are told to come by https alone. */
export function sendSecurityHeaders(fastify: FastifyInstance, publicUrl: string): void {
  const https: Headers = publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` } : {};
  const answer = { ...ANSWER_HEADERS, ...https };
  const documentation = { ...DOCUMENTATION_HEADERS, ...https };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(/^\/docs(\/|$|\?)/.test(request.url) ? documentation : answer);
    done();
  });
}
