import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { OpenIdProvider } from '../../src/console/sessions/open-id-provider.js';

/** The settings and the client of a provider that responds as a test wants. */
export interface ProviderStub {
  readonly issuer: string;
  readonly provider: OpenIdProvider;
  close(): Promise<void>;
}

export async function startProviderStub(respond: RequestListener): Promise<ProviderStub> {
  const server = createServer(respond);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const roles = { rolesClaim: 'roles', adminRole: 'rupa-admin', auditorRole: 'rupa-auditor' };
  const settings = { issuer: new URL(issuer), clientId: 'rupa-console', clientSecret: 'secret', scope: 'openid', ...roles };
  return {
    issuer,
    provider: new OpenIdProvider(settings, new URL('http://console.test/console/sign-in/callback')),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
