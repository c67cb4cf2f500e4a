import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import Provider, { type Adapter, type AdapterPayload, type InteractionResults } from 'oidc-provider';

export interface ProviderAccount {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

interface Options {
  /** Redirect URI of the client. */
  readonly redirectUri: string;
  /** Whether ID tokens contain all claims, as those of many providers do; otherwise only the userinfo endpoint has them. */
  readonly claimsInIdToken?: boolean;
}

const CLIENT = { id: 'rupa-console', secret: 'a secret of the client'.replaceAll(' ', '-') };

/** The address of the console in the redirects of sign-ins. */
export const CONSOLE_URL = 'http://console.test';

/** Returns the settings of a service whose console lets people sign in at the provider. */
export function signInSettings(issuer: string): Record<string, string> {
  return {
    CONSOLE_URL,
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
    CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
  };
}

/** An OpenID provider on loopback. Nobody types a password there: it signs in the account that the test chooses. */
export class TestOpenIdProvider {
  /** The account that signs in next; null for a person who goes back. */
  person: ProviderAccount | null = { sub: 'nobody' };

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  static async start({ redirectUri, claimsInIdToken = false }: Options): Promise<TestOpenIdProvider> {
    // It closes no idle connection: the service could send its next request over it just then.
    const server = createServer({ keepAliveTimeout: 0 });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // For a browser, this is another site than the service's 127.0.0.1.
    const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
    const own = new TestOpenIdProvider(issuer, server);
    const provider = own.provider(redirectUri, claimsInIdToken);
    const serve = provider.callback();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.startsWith('/interaction/')) void provider.interactionFinished(request, response, own.outcome());
      else void serve(request, response);
    });
    return own;
  }

  /** Follows the redirects at the provider as a browser does, and returns the path with which it sends the person back. */
  async visit(url: string): Promise<string> {
    const cookies = new Map<string, string>();
    for (let next = url; ;) {
      const response = await fetch(next, {
        redirect: 'manual',
        headers: { Cookie: [...cookies].map((each) => each.join('=')).join('; ') },
      });
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`The provider responds ${response.status}: ${await response.text()}`);
      const to = new URL(location, next);
      if (to.origin !== this.issuer) return `${to.pathname}${to.search}`;
      next = to.href;
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private outcome(): InteractionResults {
    return this.person === null
      ? { error: 'access_denied', error_description: 'The person went back.' }
      : { login: { accountId: this.person.sub } };
  }

  private provider(redirectUri: string, claimsInIdToken: boolean): Provider {
    return new Provider(this.issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
      claims: { openid: ['sub'], profile: ['preferred_username', 'roles'], email: ['email'] },
      conformIdTokenClaims: !claimsInIdToken,
      findAccount: (_context, sub) => {
        const { person } = this;
        return { accountId: sub, claims: () => person ?? { sub } };
      },
      // The client is the company's own, so nobody is asked to agree.
      loadExistingGrant: async (context) => {
        const { client, session, provider } = context.oidc;
        const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ['a key of the cookies in tests'] },
      adapter: MemoryAdapter,
      jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' })] },
      ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60 },
    });
  }
}

/** Holds everything for one test. The library's own adapter prints a warning for each provider. */
class MemoryAdapter implements Adapter {
  private readonly payloads = new Map<string, AdapterPayload>();

  upsert(id: string, payload: AdapterPayload): Promise<undefined> {
    this.payloads.set(id, payload);
    return Promise.resolve(undefined);
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return Promise.resolve(this.payloads.get(id));
  }

  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return Promise.resolve([...this.payloads.values()].find((payload) => payload.uid === uid));
  }

  consume(id: string): Promise<undefined> {
    this.payloads.set(id, { ...this.payloads.get(id), consumed: true });
    return Promise.resolve(undefined);
  }

  destroy(id: string): Promise<undefined> {
    this.payloads.delete(id);
    return Promise.resolve(undefined);
  }

  revokeByGrantId(grantId: string): Promise<undefined> {
    for (const [id, payload] of this.payloads) if (payload.grantId === grantId) this.payloads.delete(id);
    return Promise.resolve(undefined);
  }
}
