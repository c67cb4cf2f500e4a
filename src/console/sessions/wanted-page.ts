import { type FastifyReply, type FastifyRequest } from 'fastify';
import { signedValue } from './signed-cookies.js';

const COOKIE = 'rupa_wanted';
/** First letters of the cookie's value, so that it passes for no other cookie that is signed with the same key. */
const PREFIX = 'wanted:';
const SECONDS = 600;
/** A longer address is not kept: browsers keep at most 4 KB a cookie. */
const LONGEST = 2_000;

/** Sends a person without a session to the sign-in, and keeps the address that they asked for in their browser for ten minutes. */
export function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A provider for sign-in is another site, whose redirect would not bring a cookie that is strict.
  const options = { path: '/console', sameSite: 'lax', signed: true, maxAge: SECONDS } as const;
  if (request.url.length <= LONGEST) void reply.setCookie(COOKIE, `${PREFIX}${request.url}`, options);
  return reply.redirect('/console/sign-in', 303);
}

/** Returns the address of the page that the person asked for before the sign-in, once; otherwise that of the overview. */
export function takeWantedPage(request: FastifyRequest, reply: FastifyReply): string {
  if (request.cookies[COOKIE] !== undefined) void reply.clearCookie(COOKIE, { path: '/console' });
  return signedValue(request, COOKIE, PREFIX) ?? '/console';
}
