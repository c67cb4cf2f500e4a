import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Application } from '../support/service.js';

/** The shared application's PUBLIC_URL begins with https:, so its cookie is restricted to it. */
const COOKIE = '__Host-rupa_session';

describe('the console', () => {
  let service: Application;
  let partner: TestPartner;
  let administrator: ConsoleVisitor;
  let auditor: ConsoleVisitor;

  beforeAll(async () => {
    service = await sharedApplication();
    partner = await makePartner(service, { company_name: '<b>Sahel & Sons</b>', active: false, credit: 0 });
    administrator = new ConsoleVisitor(service);
    auditor = new ConsoleVisitor(service);
    await administrator.signIn(service.adminToken);
    await auditor.signIn(service.auditorToken);
  });

  const page = (): string => `/console/partners/${partner.partner_id}`;
  const trail = async (): Promise<readonly Record<string, unknown>[]> =>
    (await admin(service, 'GET', '/audit-trail?limit=50')).body.data.entries as Record<string, unknown>[];

  it('leads everybody without a session to the sign-in, on every page', async () => {
    for (const path of ['/console/partners', page(), '/console/no-such-page']) {
      const response = await new ConsoleVisitor(service).get(path);
      expect([response.status, response.headers.get('location')]).toStrictEqual([303, '/console/sign-in']);
    }
  });

  it('leads a person after the sign-in to the page that they asked for, once', async () => {
    const visitor = new ConsoleVisitor(service);
    const wanted = `${page()}?from=2026-01-01`;
    await visitor.get(wanted);
    await visitor.signIn('no-such-token-at-all-0000000');
    const signedIn = async (): Promise<string | null> => (await visitor.signIn(service.adminToken)).headers.get('location');
    expect([await signedIn(), await signedIn()]).toStrictEqual([wanted, '/console']);
  });

  it('leads nobody to a page that another site put into the cookie', async () => {
    for (const value of ['wanted:https://other.example', `wanted:${page()}`, '%']) {
      const headers = { Cookie: `rupa_wanted=${encodeURIComponent(value)}` };
      const response = await new ConsoleVisitor(service).submit('/console/sign-in', { token: service.adminToken }, headers);
      expect(response.headers.get('location')).toBe('/console');
    }
  });

  it('refuses a wrong token with a sentence, and begins no session', async () => {
    const visitor = new ConsoleVisitor(service);
    const response = await visitor.signIn('no-such-token-at-all-0000000');
    expect([response.status, visitor.cookie(COOKIE)]).toStrictEqual([401, undefined]);
    expect(await response.text()).toContain('This token is not valid.');
  });

  it('refuses a sign-in from a form of another site', async () => {
    const visitor = new ConsoleVisitor(service);
    const foreign = [{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }];
    for (const headers of foreign) {
      const response = await visitor.submit('/console/sign-in', { token: service.adminToken }, headers);
      expect([response.status, visitor.cookie(COOKIE)]).toStrictEqual([403, undefined]);
    }
  });

  it('keeps a session in a signed cookie that scripts and other sites do not get', async () => {
    const response = await new ConsoleVisitor(service).signIn(service.adminToken);
    const [set = ''] = response.headers.getSetCookie();
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/', 'Max-Age=28800']) expect(set).toContain(attribute);
    expect(set).not.toContain('Domain');
  });

  it('restricts each cookie that it sets or deletes to https, and hides it from scripts', async () => {
    const visitor = new ConsoleVisitor(service);
    const page = '/console/partners';
    const form = await administrator.form(page, page);
    const responses = [
      await visitor.get(page),
      await visitor.submit(page, form),
      await visitor.signIn(service.adminToken),
      await visitor.submit(page, { ...form, _csrf: await visitor.csrf(), mode: 'neither' }),
      await visitor.get(page),
      await visitor.submit('/console/sign-out', { _csrf: await visitor.csrf() }),
    ];
    const sent = responses.flatMap(({ headers }) => headers.getSetCookie());
    const names = sent.map((set) => /^[^=]+/.exec(set)?.[0]);
    expect(new Set(names)).toStrictEqual(new Set(['rupa_wanted', 'rupa_typed', COOKIE, 'rupa_said']));
    expect(sent.filter((set) => !/; Secure(;|$)/.test(set) || !/; HttpOnly(;|$)/.test(set))).toStrictEqual([]);
  });

  it('takes no other cookie that it signed for what an act says', async () => {
    const visitor = new ConsoleVisitor(service);
    await visitor.get(page());
    const wanted = visitor.cookie('rupa_wanted') ?? '';
    const cookie = `rupa_said=${wanted}; ${COOKIE}=${administrator.cookie(COOKIE) ?? ''}`;
    expect((await whenServed(() => fetch(`${service.url}${page()}`, { headers: { Cookie: cookie } }))).status).toBe(200);
  });

  it('accepts no cookie that it did not sign', async () => {
    const id = /^[^.]+/.exec(decodeURIComponent(administrator.cookie(COOKIE) ?? ''))?.[0] ?? '';
    for (const value of [id, `${id}.${'A'.repeat(43)}`, '', '%']) {
      const response = await fetch(`${service.url}${page()}`, { headers: { Cookie: `${COOKIE}=${value}` }, redirect: 'manual' });
      expect([value, response.status]).toStrictEqual([value, 303]);
    }
  });

  it('forbids scripts and styles in the page, frames, and forms to other sites', async () => {
    const response = await administrator.get(page());
    const policy = response.headers.get('content-security-policy') ?? '';
    expect([response.status, policy]).toStrictEqual([200, expect.stringContaining("default-src 'none'; script-src 'self'")]);
    expect(policy).not.toContain('unsafe');
    for (const part of ["frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"]) expect(policy).toContain(part);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|\son[a-z]+=|\sstyle=/);
  });

  it('shows names as text, whatever they contain', async () => {
    const html = await (await administrator.get(page())).text();
    expect(html).toContain('&lt;b>Sahel &amp; Sons&lt;/b>');
    expect(html).not.toContain('<b>Sahel');
  });

  it('lets an administrator act, and says so once', async () => {
    const response = await administrator.act(page(), `${page()}/activate`);
    expect([response.status, response.headers.get('location')]).toStrictEqual([303, page()]);
    expect((await admin(service, 'GET', `/partners/${partner.partner_id}`)).body.data.status).toBe('active');
    expect(await (await administrator.get(page())).text()).toContain('The partner is active.');
    expect(await (await administrator.get(page())).text()).not.toContain('The partner is active.');
  });

  it('returns to the form with the message of an act that is refused', async () => {
    const response = await administrator.act(page(), `${page()}/credits`, { amount: '12.345', reference: 'r1', kind: 'payment' });
    expect([response.status, response.headers.get('location')]).toStrictEqual([303, page()]);
    expect(await (await administrator.get(page())).text()).toMatch(/role="alert">Validation Error: [^<]*amount/);
    expect((await admin(service, 'GET', `/partners/${partner.partner_id}/wallet`)).body.data.balance).toBe(0);
  });

  it('says why an act is refused in a cookie that browsers keep, however much is wrong', async () => {
    const longestCookie = 4_096;
    const cidrs = Array.from({ length: 200 }, (_each, index) => `300.0.0.${index}`).join('\n');
    const response = await administrator.act(page(), `${page()}/allow-list`, { cidrs });
    const [said = ''] = response.headers.getSetCookie().filter((set) => set.startsWith('rupa_said='));
    expect(/^[^;]+/.exec(said)?.[0].length).toBeLessThanOrEqual(longestCookie);
    expect(await (await administrator.get(page())).text()).toMatch(/role="alert">Validation Error: [^<]*cidrs[^<]*…/);
  });

  it('leads from a refused act to no other site', async () => {
    for (const _from of ['https://elsewhere.example/', '//elsewhere.example', '/console\\elsewhere', '/consoles']) {
      const response = await administrator.submit(`${page()}/credits`, await administrator.crafted(_from));
      expect([_from, response.headers.get('location')]).toStrictEqual([_from, '/console']);
    }
  });

  it('refuses an act without the token of the session, or from another site', async () => {
    const other = new ConsoleVisitor(service);
    await other.signIn(service.adminToken);
    const own = await administrator.crafted(page());
    const attempts: [Record<string, string>, Record<string, string>, number][] = [
      [{}, {}, 403],
      [{ ...own, _key: '' }, {}, 403],
      [{ ...own, _key: own._key?.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) ?? '' }, {}, 403],
      [own, { 'Sec-Fetch-Site': 'cross-site' }, 403],
      [{ ...own, _csrf: 'x' }, {}, 303],
      [{ ...own, _csrf: await other.csrf() }, {}, 303],
    ];
    for (const [fields, headers, status] of attempts)
      expect((await administrator.submit(`${page()}/deactivate`, fields, headers)).status).toBe(status);
    expect(await (await administrator.get(page())).text()).toContain('Nothing was done: this form is of an earlier session.');
    expect((await admin(service, 'GET', `/partners/${partner.partner_id}`)).body.data.status).toBe('active');
  });

  it('accepts forms below /console only, and JSON nowhere there', async () => {
    const form = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=b' };
    const headers = { ...form.headers, Authorization: `Bearer ${service.adminToken}` };
    expect((await fetch(`${service.url}/admin/v1/partners`, { ...form, headers })).status).toBe(415);
    expect((await administrator.submit(`${page()}/activate`, {}, { 'Content-Type': 'application/json' })).status).not.toBe(303);
  });

  it('shows auditors everything, without a form that changes something', async () => {
    const html = await (await auditor.get(page())).text();
    expect(html).toContain('Keys');
    expect(html.match(/<form method="post" action="[^"]*"/g)).toStrictEqual(['<form method="post" action="/console/sign-out"']);
  });

  it('refuses every change by an auditor, whose token the form would carry, and records the attempt', async () => {
    const response = await auditor.submit(`${page()}/deactivate`, await auditor.crafted(page()));
    expect([response.status, response.headers.get('location')]).toStrictEqual([303, page()]);
    expect(await (await auditor.get(page())).text()).toContain('This token may only read.');
    expect((await admin(service, 'GET', `/partners/${partner.partner_id}`)).body.data.status).toBe('active');
    expect(await trail()).toContainEqual(
      expect.objectContaining({ role: 'auditor', status: 403, action: 'POST /admin/v1/partners/:id/deactivate' }),
    );
  });

  it('records acts and sign-ins under the person’s name', async () => {
    const visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.adminToken);
    await visitor.act(page(), `${page()}/deactivate`);
    const entries = await trail();
    expect(entries).toContainEqual(expect.objectContaining({ role: 'admin', action: 'POST /console/sign-in', status: 200 }));
    expect(entries).toContainEqual(
      expect.objectContaining({ role: 'admin', action: 'POST /admin/v1/partners/:id/deactivate', target: partner.partner_id }),
    );
  });

  it('ends the session on the server at the sign-out, also for a copy of the cookie', async () => {
    const visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.adminToken);
    const copy = visitor.copy();
    const csrf = await visitor.csrf();
    await visitor.submit('/console/sign-out', { _csrf: 'x' });
    expect((await copy.get(page())).status).toBe(200);
    await copy.copy().submit('/console/sign-out', { _csrf: csrf });
    expect((await copy.get(page())).status).toBe(303);
  });

  it('cannot be entered with the ticket of a call, nor with a cookie where a token is asked for', async () => {
    const headers = { Authorization: 'Console AAAA', Cookie: `${COOKIE}=${administrator.cookie(COOKIE) ?? ''}` };
    expect((await call(service, 'GET', '/admin/v1/partners', { headers })).status).toBe(401);
  });

  it('streams to the other sessions of a token when one session opens as many streams as it can', async () => {
    const other = new ConsoleVisitor(service);
    await other.signIn(service.auditorToken);
    const opened: Response[] = [];
    const open = async (visitor: ConsoleVisitor): Promise<number> => {
      // This visitor does not repeat what gets 503.
      const once = new ConsoleVisitor({ url: service.url });
      once.takeCookiesOf(visitor);
      const response = await once.get('/console/live/overview');
      opened.push(response);
      return response.status;
    };
    try {
      // A stream ends when a store does not respond to it in time, and leaves room for another one.
      while ((await open(auditor)) === 200);
      expect([opened.at(-1)?.status, opened.length > 12]).toStrictEqual([503, true]);
      expect([await open(other), await open(administrator)]).toStrictEqual([200, 200]);
    } finally {
      for (const response of opened) await response.body?.cancel();
    }
  });

  it('responds with a page to a form that is too large, or that is no form', async () => {
    const large = await administrator.submit(`${page()}/allow-list`, { _csrf: await administrator.csrf(), cidrs: 'x'.repeat(70_000) });
    const json = await administrator.submit(`${page()}/allow-list`, { cidrs: '' }, { 'Content-Type': 'text/plain' });
    for (const [response, status] of [
      [large, 413],
      [json, 415],
    ] as const) {
      expect([response.status, response.headers.get('content-type')]).toStrictEqual([status, 'text/html; charset=utf-8']);
      expect(await response.text()).toContain('<h1>This did not work</h1>');
    }
  });

  it('responds with a page to what does not exist', async () => {
    for (const path of ['/console/no-such-page', '/console/partners/no-such-partner']) {
      const response = await administrator.get(path);
      expect([response.status, response.headers.get('content-type')]).toStrictEqual([404, 'text/html; charset=utf-8']);
    }
  });
});
