import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { callerAddress } from '../../platform/http-server/address.js';
import { ApiError } from '../../http/errors/api-error.js';
import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';
import { ERRORS } from '../../http/errors/error-codes.js';
import { pageOf } from '../page.js';
import { type OpenIdProvider, type PendingSignIn, ProviderUnavailable, SignInRefused } from './open-id-provider.js';
import { signedValue } from './signed-cookies.js';
import { PROVIDER_PATH, showSignIn, signInCall, type SignInParts } from './sign-in.js';

/** Path of the redirect URI that the provider must know. */
export const CALLBACK_PATH = '/console/sign-in/callback';

interface Parts extends SignInParts {
  readonly provider: OpenIdProvider;
  readonly logger: Logger;
}

/** Cookie in which the browser keeps a sign-in while the person is at the provider. */
const PENDING = 'rupa_sign_in';

/** Adds the routes that lead to the OpenID provider and back. */
export function serveProviderSignIn(scope: FastifyInstance, parts: Parts): void {
  scope.get(inScope(PROVIDER_PATH), async (_request, reply) => {
    try {
      const { url, pending } = await parts.provider.begin();
      return await keep(reply, pending).redirect(url.href, 303);
    } catch (error) {
      return await showUnavailable(reply, parts, error);
    }
  });

  scope.get(inScope(CALLBACK_PATH), async (request, reply) => {
    const kept = keptIn(request);
    void reply.clearCookie(PENDING, { path: '/console/sign-in' });
    if (!kept)
      return refuse(reply, parts, 'The sign-in took longer than ten minutes, or was begun in another browser. Sign in again.', 403);
    try {
      const holder = await finish(request, parts, kept);
      if (!holder) return await refuse(reply, parts, noRole(parts.provider), 403);
      await parts.audit.end(signInCall(request, holder), 200, request.id);
      await parts.sessions.begin(reply, holder);
      return await welcome(reply, await parts.typed.pageAfterSignIn(request, reply, holder));
    } catch (error) {
      if (error instanceof ApiError) return refuse(reply, parts, error.message, ERRORS[error.code].status);
      return await showUnavailable(reply, parts, error);
    }
  });

  scope.get(inScope(`${PROVIDER_PATH}/end`), async (_request, reply) => {
    try {
      const url = await parts.provider.endSessionUrl();
      if (url) return await reply.redirect(url.href, 303);
      return await refuse(reply, parts, `${parts.provider.name} has no address for signing out. Sign out on its own pages.`, 404);
    } catch (error) {
      return await showUnavailable(reply, parts, error);
    }
  });
}

/** Refused sign-ins count as failed authentications of the address. */
async function finish(request: FastifyRequest, parts: Parts, kept: PendingSignIn): Promise<TokenHolder | undefined> {
  const query = new URL(request.url, 'http://console').search;
  return await parts.authentication.check(callerAddress(request), async () => {
    try {
      return await parts.provider.finish(query, kept);
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      parts.logger.warn({ reason: reasonOf(error) }, 'a sign-in to the console was refused');
      const message = error.cancelled
        ? `The sign-in was cancelled at ${parts.provider.name}.`
        : 'The sign-in could not be verified. It may have been used before. Sign in again.';
      throw new ApiError('token_invalid', { message });
    }
  });
}

/** The library's messages name the check that failed. A provider's own texts are left out, because they may name the person. */
function reasonOf({ cause }: SignInRefused): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code = '' } = cause as { code?: unknown };
  return `${cause.name} ${String(code)}`.trim();
}

function keep(reply: FastifyReply, pending: PendingSignIn): FastifyReply {
  // The provider is another site, so its redirect would not bring a cookie that is strict.
  const options = {
    path: '/console/sign-in',
    sameSite: 'lax',
    signed: true,
    maxAge: PENDING_MINUTES * 60,
  } as const;
  return reply.setCookie(PENDING, keptValue(pending, Date.now()), options);
}

function keptIn(request: FastifyRequest): PendingSignIn | undefined {
  const kept = signedValue(request, PENDING);
  return kept === undefined ? undefined : pendingIn(kept, Date.now());
}

/** The browser would not send the session's strict cookie with a redirect that began at the provider, but does from a page of the console. */
function welcome(reply: FastifyReply, page: string): FastifyReply {
  const body = (
    <p>
      <a href={page}>Go on to the console</a>
    </p>
  );
  return reply
    .header('Refresh', `0; url=${page}`)
    .type('text/html; charset=utf-8')
    .send(pageOf({ title: 'Signed in', area: null, body }, undefined));
}

function refuse(reply: FastifyReply, { provider }: Parts, text: string, status: number): FastifyReply {
  return showSignIn(reply, provider, { tone: 'bad', text }, status);
}

function showUnavailable(reply: FastifyReply, parts: Parts, error: unknown): FastifyReply {
  if (!(error instanceof ProviderUnavailable)) throw error;
  parts.logger.warn({ err: error }, 'nobody can sign in to the console at the OpenID provider');
  return refuse(reply, parts, `${error.message} Try again, or sign in with a token.`, 503);
}

function noRole({ name }: OpenIdProvider): string {
  return `You are signed in at ${name}, but have no role for this console. Ask whoever manages roles there.`;
}

function inScope(path: string): string {
  return path.slice('/console'.length);
}

/** Minutes in which a person must sign in at the provider. */
const PENDING_MINUTES = 10;

/** First letters of the cookie's value. The cookie of a session is signed with the same key, and must not pass for a pending sign-in. */
const PREFIX = 'pending:';
const MINUTE_MS = 60_000;

/** A pending sign-in as the cookie contains it. */
interface Kept extends PendingSignIn {
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Returns the value of the cookie for a sign-in that begins at `now` (milliseconds since 1970). It must be signed. */
export function keptValue(pending: PendingSignIn, now: number): string {
  const kept: Kept = { ...pending, until: now + PENDING_MINUTES * MINUTE_MS };
  return PREFIX + Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Returns the pending sign-in of a cookie whose signature is right; undefined after its time, and for a cookie of another purpose. */
export function pendingIn(value: string, now: number): PendingSignIn | undefined {
  if (!value.startsWith(PREFIX)) return undefined;
  const { until, ...pending } = JSON.parse(Buffer.from(value.slice(PREFIX.length), 'base64url').toString()) as Kept;
  return now < until ? pending : undefined;
}
