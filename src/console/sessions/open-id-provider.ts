import { createHash } from 'node:crypto';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  type ClientAuth,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
  type UserInfoResponse,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';
import { boundedFetch } from './bounded-fetch.js';
import { claimedRole, displayName, type RoleNames } from './claims.js';

/** First letters of the fingerprint of a person whom the provider has signed in. A token's fingerprint has digits of hex only. */
const OIDC_FINGERPRINT = 'oidc:';

export interface ProviderSettings extends RoleNames {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** A sign-in that has begun. The person's browser keeps it until the provider sends the person back. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider does not respond, or does not accept this service as its client. `message` says which. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable';
}

/** The provider or the library refused the sign-in: cancelled, expired, repeated or forged. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';

  constructor(
    readonly cancelled: boolean,
    options: ErrorOptions,
  ) {
    super('The sign-in was refused.', options);
  }
}

const TIMEOUT_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 30;
const FINGERPRINT_DIGITS = 8;
/** The library's codes for a provider that does not respond in time, or with something else than its protocol, such as a page. */
const OUTAGES: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR']);

/**
 * Signs people in with OpenID Connect: authorization code with PKCE, state and nonce. The provider is first asked at the first sign-in, so a
 * provider that does not respond keeps neither the service from starting nor the API from responding.
 */
export class OpenIdProvider {
  private configuration: Promise<Configuration> | undefined;
  private readonly fingerprint: string;

  /** @param redirectUri address to which the provider sends people back */
  constructor(
    private readonly settings: ProviderSettings,
    private readonly redirectUri: URL,
  ) {
    const { issuer, clientId, rolesClaim, adminRole, auditorRole } = settings;
    this.fingerprint = OIDC_FINGERPRINT + digitsOf([issuer.href, clientId, rolesClaim, adminRole, auditorRole].join('\n'));
  }

  /** The name that people know the provider by. */
  get name(): string {
    return this.settings.issuer.host;
  }

  /** Returns whether it signed this person in with the settings of today. */
  knows({ fingerprint }: TokenHolder): boolean {
    return fingerprint.startsWith(`${this.fingerprint}:`);
  }

  /** Begins a sign-in. @returns the address to send the person to @throws ProviderUnavailable */
  async begin(): Promise<{ readonly url: URL; readonly pending: PendingSignIn }> {
    const configuration = await this.configured();
    const pending = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri.href,
      scope: this.settings.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    return { url, pending };
  }

  /**
   * Ends a sign-in. The library checks the state, the issuer, and the signature, audience, nonce and times of the ID token.
   * @param query what the provider sent the person back with, beginning with "?"
   * @returns the person; undefined for one who has neither role
   * @throws ProviderUnavailable, SignInRefused
   */
  async finish(query: string, { state, nonce, verifier }: PendingSignIn): Promise<TokenHolder | undefined> {
    const configuration = await this.configured();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    try {
      const tokens = await authorizationCodeGrant(configuration, new URL(query, this.redirectUri), checks);
      const claims = tokens.claims();
      if (!claims) throw new Error('The provider sent no ID token.');
      refuseDatedAhead(claims);
      return await this.holderOf(configuration, tokens.access_token, claims);
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Returns where a person ends the session at the provider, too; undefined if it has no such address. @throws ProviderUnavailable */
  async endSessionUrl(): Promise<URL | undefined> {
    const configuration = await this.configured();
    return configuration.serverMetadata().end_session_endpoint === undefined ? undefined : buildEndSessionUrl(configuration);
  }

  private async holderOf(configuration: Configuration, accessToken: string, claims: IDToken): Promise<TokenHolder | undefined> {
    const holder = (all: IDToken | UserInfoResponse): TokenHolder | undefined => {
      const role = claimedRole(all, this.settings);
      const fingerprint = `${this.fingerprint}:${digitsOf(`${claims.iss}\n${claims.sub}`)}`;
      return role && { role, name: displayName(all, this.name), fingerprint };
    };
    const found = holder(claims);
    if (found || configuration.serverMetadata().userinfo_endpoint === undefined) return found;
    // Many providers leave roles and names out of the ID token.
    return holder({ ...claims, ...(await fetchUserInfo(configuration, accessToken, claims.sub)) });
  }

  private async configured(): Promise<Configuration> {
    this.configuration ??= this.discover();
    try {
      return await this.configuration;
    } catch (error) {
      this.configuration = undefined;
      throw new ProviderUnavailable(`${this.settings.issuer.href} does not respond as an OpenID provider.`, { cause: error });
    }
  }

  private async discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const configuration = await discovery(
      issuer,
      clientId,
      { [clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authenticationWith(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        [customFetch]: boundedFetch,
        // The settings allow http only for an issuer on this host. The library marks the function as deprecated to make it stand out.
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
      },
    );
    const { authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata();
    // The library finds out only when it needs one of them, and a configuration is used until the process ends.
    if (![authorization_endpoint, token_endpoint, jwks_uri].every((address) => URL.canParse(String(address))))
      throw new Error('The provider names no addresses for signing in.');
    configuration.timeout = TIMEOUT_SECONDS;
    // Without this, the library relies on TLS for an ID token from the token endpoint, and does not check its signature.
    enableNonRepudiationChecks(configuration);
    return configuration;
  }
}

/** The library accepts any time of issue. @throws Error for one in the future, which a provider with a right clock does not write */
function refuseDatedAhead({ iat }: IDToken): void {
  if (iat > Date.now() / 1_000 + CLOCK_TOLERANCE_SECONDS)
    throw new Error('The ID token was issued in the future: the clock of this host or of the provider is wrong.');
}

/** Sends the secret in the way that the provider supports: in a header, which is the default, or in the body. */
function authenticationWith(secret: string): ClientAuth {
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: supported = ['client_secret_basic'] } = server;
    const authenticate = supported.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
    authenticate(server, client, body, headers);
  };
}

function failureOf(error: unknown): Error {
  if (error instanceof AuthorizationResponseError) return new SignInRefused(error.error === 'access_denied', { cause: error });
  const isClientRefused = error instanceof ResponseBodyError && ['invalid_client', 'unauthorized_client'].includes(error.error);
  if (isClientRefused || error instanceof WWWAuthenticateChallengeError)
    return new ProviderUnavailable('The provider does not accept CONSOLE_OIDC_CLIENT_ID with its secret.', { cause: error });
  const isOutage = error instanceof TypeError || (error instanceof ClientError && OUTAGES.has(error.code ?? ''));
  return isOutage
    ? new ProviderUnavailable('The provider does not respond as an OpenID provider.', { cause: error })
    : new SignInRefused(false, { cause: error });
}

function digitsOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, FINGERPRINT_DIGITS);
}
