import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';
import { type TypedForm } from '../form.js';
import { say } from '../serving/said.js';
import { signedValue } from '../sessions/signed-cookies.js';
import { takeWantedPage } from '../sessions/wanted-page.js';
import { ownerOf } from './form-keys.js';
import { type KeptThings } from './kept-things.js';

const COOKIE = 'rupa_typed';
/** First letters of the cookie's value, so that it passes for no other cookie that is signed with the same key. */
const PREFIX = 'typed:';
const SECONDS = 3_600;

const FILLED_IN = 'You are signed in again. Nothing was done yet: the form below has what you typed. Check it, and submit it again.';

/**
 * Keeps what a person typed into a form until the form has been carried out. Only a random id is in the browser, in a cookie: what was typed
 * is in no address, history or log.
 */
export class TypedForms {
  constructor(private readonly things: KeptThings) {}

  /** @param owner whom the form was made for, and who may have it back */
  async keep(reply: FastifyReply, owner: string, typed: TypedForm): Promise<void> {
    const id = await this.things.keep('typed', owner, typed);
    // A provider for sign-in is another site, whose redirect would not bring a cookie that is strict.
    const options = { path: '/console', sameSite: 'lax', signed: true, maxAge: SECONDS } as const;
    void reply.setCookie(COOKIE, `${PREFIX}${id}`, options);
  }

  /** Returns what this person typed last, if it was not carried out. */
  async find(request: FastifyRequest, holder: Pick<TokenHolder, 'fingerprint'>): Promise<TypedForm | undefined> {
    const id = idIn(request);
    return id === undefined ? undefined : await this.things.find<TypedForm>('typed', ownerOf(holder), id);
  }

  async forget(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = idIn(request);
    if (id !== undefined) await this.things.forget('typed', id);
    void reply.clearCookie(COOKIE, { path: '/console' });
  }

  /** Returns whether something was typed for which somebody has yet to sign in. */
  waits(request: FastifyRequest): boolean {
    return idIn(request) !== undefined;
  }

  /** Returns the page that a person sees after the sign-in: that of the form which could not be carried out, or the one that was asked for. */
  async pageAfterSignIn(request: FastifyRequest, reply: FastifyReply, holder: TokenHolder): Promise<string> {
    const wanted = takeWantedPage(request, reply);
    const typed = await this.find(request, holder);
    if (typed) {
      say(reply, { tone: 'warn', text: FILLED_IN });
      return typed.from;
    }
    if (idIn(request) !== undefined) await this.forget(request, reply);
    return wanted;
  }
}

function idIn(request: FastifyRequest): string | undefined {
  return signedValue(request, COOKIE, PREFIX);
}
