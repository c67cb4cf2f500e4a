import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Said } from '../page.js';
import { signedValue } from '../sessions/signed-cookies.js';

const SAID = 'rupa_said';
const SAID_SECONDS = 60;

/** Stores what an act says until the next page shows it. Signed, so that no other page of the host can put words there. */
export function say(reply: FastifyReply, said: Said): FastifyReply {
  const value = Buffer.from(JSON.stringify(said)).toString('base64url');
  return reply.setCookie(SAID, value, { path: '/console', httpOnly: true, sameSite: 'strict', maxAge: SAID_SECONDS, signed: true });
}

/** Returns what the previous act said, so that only this page shows it. */
export function takeSaid(request: FastifyRequest, reply: FastifyReply): Said | undefined {
  if (request.cookies[SAID] === undefined) return undefined;
  void reply.clearCookie(SAID, { path: '/console' });
  const value = signedValue(request, SAID);
  return value === undefined ? undefined : (JSON.parse(Buffer.from(value, 'base64url').toString()) as Said);
}
