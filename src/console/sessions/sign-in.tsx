import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type VNode } from 'preact';
import { randomUUID } from 'node:crypto';
import { callerAddress } from '../../platform/http-server/address.js';
import { type AdminAuthentication } from '../../http/authenticating/admin-authentication.js';
import { type AdminCallLog } from '../../http/authenticating/record-admin-calls.js';
import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';
import { ERRORS } from '../../http/errors/error-codes.js';
import { ApiError } from '../../http/errors/api-error.js';
import { type TypedForms } from '../acts/typed-forms.js';
import { Field } from '../components/form.js';
import { Form } from '../form.js';
import { pageOf, type Said } from '../page.js';
import { type Screen } from '../screen.js';
import { type OpenIdProvider } from './open-id-provider.js';
import { type Sessions } from './sessions.js';

export interface SignInParts {
  readonly sessions: Sessions;
  readonly authentication: AdminAuthentication;
  readonly audit: AdminCallLog;
  readonly typed: TypedForms;
  /** The OpenID provider; undefined if none is configured. */
  readonly provider?: Pick<OpenIdProvider, 'name' | 'knows'> | undefined;
}

/** Leads to the provider. It is a link and no form, because the pages' policy lets no form lead to another site. */
export const PROVIDER_PATH = '/console/sign-in/provider';

const ENDED = 'Your session has ended. Nothing was done. Sign in: the form then has what you typed, and you can submit it again.';

const HTML = 'text/html; charset=utf-8';

/** Adds the page on which one signs in with a token, and the acts that begin and end a session. */
export function serveSignIn(scope: FastifyInstance, { sessions, authentication, audit, typed, provider }: SignInParts): void {
  const show = (reply: FastifyReply, said?: Said, status = 200): FastifyReply => showSignIn(reply, provider, said, status);

  scope.get('/sign-in', async (request, reply) => {
    const person = await sessions.personOf(request);
    if (person) return reply.redirect(await typed.pageAfterSignIn(request, reply, person), 303);
    const { signed_out: signedOut } = request.query as Readonly<Record<string, unknown>>;
    if (typed.waits(request)) return show(reply, { tone: 'warn', text: ENDED });
    return show(reply, provider && signedOut !== undefined ? signedOutOf(provider) : undefined);
  });

  scope.post('/sign-in', async (request, reply) => {
    if (!isSameOrigin(request)) return show(reply, { tone: 'bad', text: 'The form came from another site. Sign in on this page.' }, 403);
    const token = new Form(request.body).text('token');
    try {
      const holder = await authentication.signIn(callerAddress(request), token);
      await audit.end(signInCall(request, holder), 200, request.id);
      await sessions.begin(reply, holder);
      return await reply.redirect(await typed.pageAfterSignIn(request, reply, holder), 303);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const text = error.code === 'token_invalid' ? 'This token is not valid. Tokens are in ADMIN_TOKEN and AUDITOR_TOKEN.' : error.message;
      return show(reply, { tone: 'bad', text }, ERRORS[error.code].status);
    }
  });

  scope.post('/sign-out', async (request, reply) => {
    const form = new Form(request.body);
    const person = await sessions.personOf(request);
    if (sessions.mayAct(request, form.text('_csrf'))) await sessions.end(request, reply);
    return reply.redirect(person && provider?.knows(person) ? '/console/sign-in?signed_out' : '/console/sign-in', 303);
  });
}

/** Returns whether the browser says that the form is on a page of this service. */
export function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string') return site === 'same-origin' || site === 'none';
  return headers.origin === undefined || URL.parse(headers.origin)?.host === headers.host;
}

/** Returns the entry of the audit trail that says who has signed in, from which address. */
export function signInCall(request: FastifyRequest, { role, name, fingerprint }: TokenHolder): Parameters<AdminCallLog['end']>[0] {
  const { method, routeOptions } = request;
  const address = callerAddress(request);
  return { call_id: randomUUID(), role, name, fingerprint, address, method, route: routeOptions.url ?? '?', parameters: {} };
}

/** Sends the page on which people sign in. */
export function showSignIn(reply: FastifyReply, provider: SignInParts['provider'], said?: Said, status = 200): FastifyReply {
  const screen: Screen = { title: 'Sign in', area: null, body: <SignIn provider={provider} /> };
  return reply
    .code(status)
    .type(HTML)
    .send(pageOf(screen, undefined, { said }));
}

function SignIn({ provider }: Pick<SignInParts, 'provider'>): VNode {
  if (provider === undefined)
    return (
      <div class="sign-in">
        <TokenForm />
      </div>
    );
  return (
    <div class="sign-in">
      <p>
        <a class="button" href={PROVIDER_PATH}>
          Sign in with {provider.name}
        </a>
      </p>
      <details>
        <summary>Sign in with a token, if {provider.name} is out of reach</summary>
        <TokenForm />
      </details>
    </div>
  );
}

function TokenForm(): VNode {
  return (
    <form method="post" action="/console/sign-in" class="act">
      <Field
        label="Token"
        name="token"
        type="password"
        required
        hint="An administrator’s or an auditor’s token. The embedded default keeps both in secrets.json in its data folder."
      />
      <button>Sign in</button>
    </form>
  );
}

function signedOutOf({ name }: { readonly name: string }): Said {
  const text = (
    <>
      You are signed out of the console, and maybe not of {name}. <a href={`${PROVIDER_PATH}/end`}>Sign out there, too</a>
    </>
  );
  return { tone: 'good', text };
}
