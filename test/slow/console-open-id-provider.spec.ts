import { describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { ConsoleVisitor } from '../support/console.js';
import { CONSOLE_URL, signInSettings, TestOpenIdProvider } from '../support/open-id-provider.js';
import { startService, temporaryDataDir, type TestService } from '../support/service.js';

const START = '/console/sign-in/provider';
const SESSION = 'rupa_session';

const amina = { sub: 'a-1', preferred_username: 'amina', roles: ['staff', 'rupa-admin'] };

describe('an OpenID provider', () => {
  it('may put names and roles into the ID token', async () => {
    const provider = await TestOpenIdProvider.start({ redirectUri: `${CONSOLE_URL}/console/sign-in/callback`, claimsInIdToken: true });
    const service = await startApplication(signInSettings(provider.issuer));
    try {
      provider.person = amina;
      const visitor = new ConsoleVisitor(service);
      const started = await visitor.get(START);
      expect((await visitor.get(await provider.visit(started.headers.get('location') ?? ''))).status).toBe(200);
      expect((await visitor.get('/console/partners')).status).toBe(200);
    } finally {
      await service.stop();
      await provider.stop();
    }
  });

  it('that does not respond, at the start or the end of a sign-in, leaves tokens, and is asked again', async () => {
    const provider = await TestOpenIdProvider.start({ redirectUri: `${CONSOLE_URL}/console/sign-in/callback` });
    const service = await startApplication(signInSettings(provider.issuer));
    try {
      const visitor = new ConsoleVisitor(service);
      const started = await visitor.get(START);
      provider.person = amina;
      const path = await provider.visit(started.headers.get('location') ?? '');
      await provider.stop();
      const ended = await visitor.get(path);
      expect([ended.status, await ended.text()]).toStrictEqual([503, expect.stringContaining('sign in with a token')]);
      expect((await visitor.signIn(service.adminToken)).status).toBe(303);
    } finally {
      await service.stop();
      await provider.stop();
    }
  });

  it('that nobody can reach does not keep the service from starting', async () => {
    const service = await startApplication(signInSettings('http://127.0.0.1:9'));
    try {
      const visitor = new ConsoleVisitor(service);
      const response = await visitor.get(START);
      expect([response.status, await response.text()]).toStrictEqual([
        503,
        expect.stringContaining('does not respond as an OpenID provider'),
      ]);
      expect((await visitor.signIn(service.adminToken)).status).toBe(303);
    } finally {
      await service.stop();
    }
  });

  it('signs nobody in any more, and ends its sessions, when the settings name another client or no provider', async () => {
    const provider = await TestOpenIdProvider.start({ redirectUri: `${CONSOLE_URL}/console/sign-in/callback` });
    const { dataDir, release } = temporaryDataDir();
    const running = async (env: Record<string, string>, visit: (service: TestService) => Promise<void>): Promise<void> => {
      const service = await startService({ DATA_DIR: dataDir, ...env });
      await visit(service).finally(() => service.stop());
    };
    const cookies: string[] = [];
    const statusOf = async (service: TestService): Promise<number> =>
      (await fetch(`${service.url}/console/partners`, { headers: { Cookie: cookies.join() }, redirect: 'manual' })).status;
    try {
      await running(signInSettings(provider.issuer), async (service) => {
        provider.person = amina;
        const visitor = new ConsoleVisitor(service);
        const started = await visitor.get(START);
        await visitor.get(await provider.visit(started.headers.get('location') ?? ''));
        cookies.push(`${SESSION}=${visitor.cookie(SESSION)}`);
        expect(await statusOf(service)).toBe(200);
      });
      await running({ ...signInSettings(provider.issuer), CONSOLE_OIDC_CLIENT_ID: 'another' }, async (service) => {
        expect(await statusOf(service)).toBe(303);
      });
      await running({ CONSOLE_URL }, async (service) => {
        expect(await statusOf(service)).toBe(303);
        expect(await (await new ConsoleVisitor(service).get('/console/sign-in')).text()).not.toContain(START);
      });
      // The session itself has not ended, so the settings were the reason.
      await running(signInSettings(provider.issuer), async (service) => {
        expect(await statusOf(service)).toBe(200);
      });
    } finally {
      await provider.stop();
      await release();
    }
  });

  it('has its refused sign-ins limited for each address', async () => {
    const provider = await TestOpenIdProvider.start({ redirectUri: `${CONSOLE_URL}/console/sign-in/callback` });
    const service = await startApplication({ ...signInSettings(provider.issuer), RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '2' });
    try {
      const finish = async (query: string): Promise<number> => {
        const visitor = new ConsoleVisitor(service);
        await visitor.get(START);
        return (await visitor.get(`/console/sign-in/callback?${query}`)).status;
      };
      // A minute may end between the attempts, and the count with it.
      const statuses: number[] = [];
      while (!statuses.includes(429) && statuses.length < 10) statuses.push(await finish(`code=c&state=${statuses.length}`));
      expect(statuses.slice(0, 2)).toStrictEqual([401, 401]);
      expect(statuses.at(-1)).toBe(429);
    } finally {
      await service.stop();
      await provider.stop();
    }
  });

  it('that does not accept the client is named as the cause', async () => {
    const provider = await TestOpenIdProvider.start({ redirectUri: `${CONSOLE_URL}/console/sign-in/callback` });
    const service = await startApplication({ ...signInSettings(provider.issuer), CONSOLE_OIDC_CLIENT_SECRET: 'another-secret' });
    try {
      provider.person = amina;
      const visitor = new ConsoleVisitor(service);
      const started = await visitor.get(START);
      const ended = await visitor.get(await provider.visit(started.headers.get('location') ?? ''));
      expect([ended.status, await ended.text()]).toStrictEqual([503, expect.stringContaining('CONSOLE_OIDC_CLIENT_ID')]);
    } finally {
      await service.stop();
      await provider.stop();
    }
  });
});
