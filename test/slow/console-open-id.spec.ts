import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type ProviderAccount, CONSOLE_URL, signInSettings, TestOpenIdProvider } from '../support/open-id-provider.js';
import { startApplication } from '../support/application.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const START = '/console/sign-in/provider';
const SESSION = 'rupa_session';

const amina = { sub: 'a-1', preferred_username: 'amina', roles: ['staff', 'rupa-admin'] };
const bode = { sub: 'b-2', email: 'bode@bank.example', roles: ['rupa-auditor'] };

describe('signing in to the console at an OpenID provider', () => {
  let provider: TestOpenIdProvider;
  let service: TestService;

  beforeAll(async () => {
    provider = await TestOpenIdProvider.start({ redirectUri: `${CONSOLE_URL}/console/sign-in/callback` });
    service = await startApplication(signInSettings(provider.issuer));
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
  });

  /** Leads a visitor to the provider, and returns the path with which it sends the visitor back. */
  async function sentBack(visitor: ConsoleVisitor, person: ProviderAccount | null): Promise<string> {
    provider.person = person;
    const started = await visitor.get(START);
    expect(started.status).toBe(303);
    return await provider.visit(started.headers.get('location') ?? '');
  }

  async function signedIn(person: ProviderAccount): Promise<ConsoleVisitor> {
    const visitor = new ConsoleVisitor(service);
    const response = await visitor.get(await sentBack(visitor, person));
    expect([response.status, response.headers.get('refresh')]).toStrictEqual([200, '0; url=/console']);
    return visitor;
  }

  const trail = async (): Promise<readonly Record<string, unknown>[]> =>
    (await admin(service, 'GET', '/audit-trail?limit=20')).body.data.entries as Record<string, unknown>[];

  it('offers the provider first, and tokens if it is out of reach', async () => {
    const page = await (await new ConsoleVisitor(service).get('/console/sign-in')).text();
    expect(page).toContain(`Sign in with ${new URL(provider.issuer).host}`);
    expect(page.indexOf(`href="${START}"`)).toBeLessThan(page.indexOf('name="token"'));
  });

  it('makes an administrator of a person with that role, and records the acts under the person’s name', async () => {
    const visitor = await signedIn(amina);
    const created = await visitor.submit('/console/partners', {
      ...(await visitor.crafted()),
      company_name: 'Sahel',
      account_type: 'bank',
      mode: 'sandbox',
    });
    expect([created.status, created.headers.get('location')]).toStrictEqual([303, expect.stringMatching(/^\/console\/partners\//)]);
    const actor = `admin:amina@${new URL(provider.issuer).host.replace(':', '_')}`;
    const act = async (action: string) => (await trail()).find((call) => call.actor === actor && call.action === action);
    // The end of a call that changes something is recorded in the background.
    const registered = await until(async () => {
      const recorded = await act('POST /admin/v1/partners');
      return recorded?.status === null ? undefined : recorded;
    });
    expect(registered).toMatchObject({ status: 201, fingerprint: expect.stringMatching(/^oidc:/) });
    expect(await act('GET /console/sign-in/callback')).toMatchObject({ status: 200, role: 'admin' });
  });

  it('leads a person whose session has ended back to the form, with what was typed', async () => {
    const page = '/console/partners';
    const fields = { ...(await (await signedIn(amina)).form(page, page)), company_name: 'Late Bank' };
    const visitor = new ConsoleVisitor(service);
    expect((await visitor.submit(page, fields)).headers.get('location')).toBe('/console/sign-in');
    const response = await visitor.get(await sentBack(visitor, amina));
    expect(response.headers.get('refresh')).toBe(`0; url=${page}`);
    expect(await visitor.form(page, page)).toMatchObject({ company_name: 'Late Bank' });
    const { partners } = (await admin(service, 'GET', '/partners?search=Late')).body.data as { partners: unknown[] };
    expect(partners).toStrictEqual([]);
  });

  it('makes an auditor of a person with that role, who changes nothing', async () => {
    const visitor = await signedIn(bode);
    const refused = await visitor.submit('/console/partners', {
      ...(await visitor.crafted('/console/partners')),
      company_name: 'Sahel',
      account_type: 'bank',
      mode: 'sandbox',
    });
    expect(refused.status).toBe(303);
    expect(await trail()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ actor: 'auditor:bode@bank.example', action: 'POST /admin/v1/partners', status: 403 }),
      ]),
    );
  });

  it('refuses a person without a role, and begins no session', async () => {
    const visitor = new ConsoleVisitor(service);
    const response = await visitor.get(await sentBack(visitor, { ...bode, roles: ['staff'] }));
    expect([response.status, visitor.cookie(SESSION)]).toStrictEqual([403, undefined]);
    expect(await response.text()).toContain('have no role for this console');
  });

  it('says so to a person who cancels', async () => {
    const visitor = new ConsoleVisitor(service);
    const response = await visitor.get(await sentBack(visitor, null));
    expect([response.status, visitor.cookie(SESSION)]).toStrictEqual([401, undefined]);
    expect(await response.text()).toContain('The sign-in was cancelled');
  });

  it('refuses to finish a sign-in that another browser began', async () => {
    const path = await sentBack(new ConsoleVisitor(service), amina);
    const stranger = new ConsoleVisitor(service);
    expect([(await stranger.get(path)).status, stranger.cookie(SESSION)]).toStrictEqual([403, undefined]);
    await sentBack(stranger, amina);
    expect([(await stranger.get(path)).status, stranger.cookie(SESSION)]).toStrictEqual([401, undefined]);
  });

  it.each<[string, (path: string) => string]>([
    ['another state', (path) => path.replace(/state=[^&]+/, 'state=other')],
    ['another code', (path) => path.replace(/code=[^&]+/, 'code=other')],
    ['another issuer', (path) => path.replace(/iss=[^&]+/, 'iss=http%3A%2F%2Fother.example')],
    ['no parameters', (path) => path.replace(/\?.*/, '')],
  ])('refuses to finish with %s', async (_what, change) => {
    const visitor = new ConsoleVisitor(service);
    const response = await visitor.get(change(await sentBack(visitor, amina)));
    expect([response.status, visitor.cookie(SESSION)]).toStrictEqual([401, undefined]);
  });

  it('finishes a sign-in once', async () => {
    const visitor = new ConsoleVisitor(service);
    const path = await sentBack(visitor, amina);
    const again = visitor.copy();
    expect((await visitor.get(path)).status).toBe(200);
    expect((await visitor.get(path)).status).toBe(403);
    expect([(await again.get(path)).status, again.cookie(SESSION)]).toStrictEqual([401, undefined]);
  });

  it('keeps a pending sign-in in a cookie of its own, which the provider’s redirect brings back', async () => {
    const response = await new ConsoleVisitor(service).get(START);
    const [set = ''] = response.headers.getSetCookie();
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/console/sign-in', 'Max-Age=600']) expect(set).toContain(attribute);
  });

  it('takes the cookie of a session for no pending sign-in', async () => {
    const session = (await signedIn(amina)).cookie(SESSION);
    const response = await fetch(`${service.url}/console/sign-in/callback?code=c`, { headers: { Cookie: `rupa_sign_in=${session}` } });
    expect([response.status, response.headers.getSetCookie().join()]).toStrictEqual([403, expect.not.stringContaining(SESSION)]);
  });

  it('ends the session on the service, and offers to end the one at the provider', async () => {
    const visitor = await signedIn(amina);
    const copy = visitor.copy();
    const out = await visitor.submit('/console/sign-out', { _csrf: await visitor.csrf() });
    expect(out.headers.get('location')).toBe('/console/sign-in?signed_out');
    expect(await (await visitor.get('/console/sign-in?signed_out')).text()).toContain('Sign out there, too');
    expect((await copy.get('/console/partners')).status).toBe(303);
    const end = await visitor.get(`${START}/end`);
    expect(end.headers.get('location')).toMatch(new RegExp(`^${provider.issuer}/session/end`));
  });
});
