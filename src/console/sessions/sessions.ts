import { type CookieSerializeOptions } from '@fastify/cookie';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type AdminTokens, type TokenHolder } from '../../http/authenticating/admin-tokens.js';
import { type CsrfTokens } from './csrf.js';
import { type OpenIdProvider } from './open-id-provider.js';
import { type Person } from '../screen.js';
import { signedValue } from './signed-cookies.js';
import { hashOf, SESSION_HOURS, type SessionStore } from './session-store.js';

const HOUR_SECONDS = 3_600;
interface Parts {
  readonly store: SessionStore;
  readonly tokens: Pick<AdminTokens, 'knows'>;
  /** The OpenID provider; undefined if none is configured. */
  readonly provider?: Pick<OpenIdProvider, 'knows'> | undefined;
  readonly csrf: CsrfTokens;
  /** Whether browsers reach the service over https, so that the cookie may be restricted to it. */
  readonly secure: boolean;
}

/** Begins, recognizes and ends the sessions of the console. A browser holds a session's id in a signed cookie. */
export class Sessions {
  private readonly cookie: string;
  private readonly options: CookieSerializeOptions;

  constructor(private readonly parts: Parts) {
    const { secure } = parts;
    this.cookie = secure ? '__Host-rupa_session' : 'rupa_session';
    this.options = { path: '/', sameSite: 'strict', signed: true, maxAge: SESSION_HOURS * HOUR_SECONDS };
  }

  async begin(reply: FastifyReply, holder: TokenHolder): Promise<void> {
    void reply.setCookie(this.cookie, await this.parts.store.begin(holder), this.options);
  }

  /**
   * Returns the person of a request; undefined without a session, and when the settings no longer have the token or the provider that
   * the person signed in with.
   */
  async personOf(request: FastifyRequest): Promise<Person | undefined> {
    const id = this.idOf(request);
    const holder = id === undefined ? undefined : await this.parts.store.find(id);
    if (id === undefined || !holder) return undefined;
    const { tokens, provider } = this.parts;
    return tokens.knows(holder) || provider?.knows(holder) ? { ...holder, session: hashOf(id), csrf: this.parts.csrf.of(id) } : undefined;
  }

  /** Returns whether a form was made for the session of the request. */
  mayAct(request: FastifyRequest, csrf: string): boolean {
    const id = this.idOf(request);
    return id !== undefined && this.parts.csrf.matches(id, csrf);
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = this.idOf(request);
    if (id !== undefined) await this.parts.store.end(id);
    void reply.clearCookie(this.cookie, { path: '/' });
  }

  private idOf(request: FastifyRequest): string | undefined {
    return signedValue(request, this.cookie);
  }
}
