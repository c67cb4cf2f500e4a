import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Tone } from '../components/text.js';
import { type Said } from '../page.js';
import { signedValue } from '../sessions/signed-cookies.js';

const SAID = 'rupa_said';
/** First letters of the cookie's value, so that no other cookie that is signed with the same key passes for it. */
const PREFIX = 'said:';
const SAID_SECONDS = 60;
/** UTF-16 units of a longer text that are shown. Browsers keep at most 4 KB a cookie, and drop a larger one without a word. */
const LONGEST = 800;

/** Stores what an act says until the next page shows it. Signed, so that no other page of the host can put words there. */
export function say(reply: FastifyReply, { tone, text }: { readonly tone: Tone; readonly text: string }): FastifyReply {
  const said: Said = { tone, text: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text };
  const value = PREFIX + Buffer.from(JSON.stringify(said)).toString('base64url');
  return reply.setCookie(SAID, value, { path: '/console', sameSite: 'strict', maxAge: SAID_SECONDS, signed: true });
}

/** Returns what the previous act said, so that only this page shows it. */
export function takeSaid(request: FastifyRequest, reply: FastifyReply): Said | undefined {
  if (request.cookies[SAID] === undefined) return undefined;
  void reply.clearCookie(SAID, { path: '/console' });
  const value = signedValue(request, SAID, PREFIX);
  return value === undefined ? undefined : (JSON.parse(Buffer.from(value, 'base64url').toString()) as Said);
}
