import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startApplication } from '../support/application.js';
import { admin, balanceOf, whenServed } from '../support/client.js';
import { ConsoleVisitor, type FoundForm, formsIn } from '../support/console.js';
import { type ConsoleWorld, makeConsoleWorld } from '../support/console-world.js';
import { type TestService } from '../support/service.js';

const OWN_FIELDS = ['_csrf', '_from', '_key', '_ask'];
/** It ends the session, which has no effect to repeat. */
const SIGN_OUT = '/console/sign-out';
const TYPED = 'typed-by-amina';

/** A form, and the page that it is on. */
interface PlacedForm extends FoundForm {
  readonly page: string;
}

describe('a form of the console', () => {
  let service: TestService;
  let world: ConsoleWorld;
  let db: pg.Client;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    service = await startApplication();
    world = await makeConsoleWorld(service);
    db = new pg.Client(service.stores.DATABASE_URL);
    await db.connect();
    visitor = await signedIn();
    await admin(service, 'POST', '/ledger/entries', {
      kind: 'bank_charge',
      amount: 5,
      date: '2026-01-15',
      reference: 'c-1',
      reason: 'SMS',
    });
  });
  afterAll(async () => {
    await db.end();
    await service.stop();
  });

  const signedIn = async (token = service.adminToken): Promise<ConsoleVisitor> => {
    const person = new ConsoleVisitor(service);
    await person.signIn(token);
    return person;
  };
  const ofPartner = (): string => `/console/partners/${world.partner.partner_id}`;
  const pages = (): readonly string[] => [
    '/console',
    '/console/partners',
    ofPartner(),
    `/console/lookups/${world.lookupId}`,
    `/console/webhooks/${world.endpointId}`,
    `/console/farmers/${world.rupaId}`,
    '/console/prices',
    '/console/books',
    '/console/books/checkpoints',
    '/console/books/entries',
    '/console/books/months',
    '/console/read-models',
  ];
  const htmlOf = async (path: string, who = visitor): Promise<string> => await (await who.get(path)).text();
  const formsOf = async (page: string): Promise<readonly PlacedForm[]> =>
    formsIn(await htmlOf(page)).flatMap((form) => (form.action === SIGN_OUT ? [] : [{ ...form, page }]));
  const allForms = async (): Promise<readonly PlacedForm[]> => (await Promise.all(pages().map(formsOf))).flat();
  const locationOf = (response: Response): string => {
    expect(response.status).toBe(303);
    return response.headers.get('location') ?? '';
  };
  const count = async (path: string, list: string): Promise<number> =>
    ((await admin(service, 'GET', path)).body.data[list] as unknown[]).length;
  /** Submits the same fields three times one after another, and twice three times at once. */
  const insistently = async (action: string, fields: Readonly<Record<string, string>>): Promise<Set<string>> => {
    const submit = async (): Promise<string> => locationOf(await visitor.copy().submit(action, fields));
    const atOnce = await Promise.all([submit(), submit(), submit()]);
    return new Set([...atOnce, await submit(), await submit(), await submit()]);
  };

  it('has a key and a token on every page, and a button whose name no other button of the page has', async () => {
    const forms = await allForms();
    expect(forms.length).toBeGreaterThan(40);
    for (const { page, action, fields } of forms) {
      const names = fields.map(([name]) => name).filter((name) => OWN_FIELDS.includes(name));
      expect([page, action, names.slice(0, 3)]).toStrictEqual([page, action, OWN_FIELDS.slice(0, 3)]);
    }
    for (const page of pages()) {
      const buttons = (await formsOf(page)).flatMap((form) => form.buttons);
      expect([page, buttons]).toStrictEqual([page, [...new Set(buttons)]]);
    }
  });

  it('keeps what was typed while its session has ended, does nothing, and has it again after the sign-in', async () => {
    for (const { page, action, fields } of await allForms()) {
      const typed = fields.map(([name, value]): [string, string] => [
        name,
        name.startsWith('_') || isFixed(name) ? value : `${TYPED} ${name}`,
      ]);
      const late = new ConsoleVisitor(service);
      expect(locationOf(await late.submit(action, Object.fromEntries(typed)))).toBe('/console/sign-in');
      expect(await htmlOf('/console/sign-in', late)).toContain('Your session has ended. Nothing was done.');
      expect(locationOf(await late.signIn(service.adminToken))).toBe(page);
      const html = await htmlOf(page, late);
      const filled = formsIn(html).find((form) => form.action === action);
      const wanted = typed.filter(([name]) => !name.startsWith('_') && !isFixed(name));
      expect([action, filled?.fields]).toStrictEqual([action, expect.arrayContaining(wanted)]);
      expect(html).toContain('You are signed in again. Nothing was done yet');
    }
    expect(service.output()).not.toContain(TYPED);
    const trail = await admin(service, 'GET', '/audit-trail?limit=200');
    expect(JSON.stringify(trail.body)).not.toContain(TYPED);
  });

  it('does not show what was typed to another person, nor what is secret', async () => {
    const fields = await visitor.form('/console/partners', '/console/partners');
    const late = new ConsoleVisitor(service);
    await late.submit('/console/partners', { ...fields, company_name: TYPED });
    expect(locationOf(await late.signIn(service.auditorToken))).toBe('/console');
    await late.submit('/console/sign-out', { _csrf: await late.csrf() });
    await late.signIn(service.adminToken);
    expect(await htmlOf('/console/partners', late)).not.toContain(TYPED);
    const { rows } = await db.query<{ response: string }>("select response from ops.stored_response where partner_id like 'console/%'");
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(TYPED);
  });

  it('registers one partner, however often it is submitted', async () => {
    const before = await count('/partners', 'partners');
    const fields = { ...(await visitor.form('/console/partners', '/console/partners')), company_name: 'Delta Bank', mode: 'sandbox' };
    const led = await insistently('/console/partners', fields);
    expect([led.size, await count('/partners', 'partners')]).toStrictEqual([1, before + 1]);
  });

  it('makes one key, which its page shows again until it is stored, and to this session alone', async () => {
    const keys = `/partners/${world.partner.partner_id}/api-keys`;
    const before = await count(keys, 'api_keys');
    const fields = { ...(await visitor.form(ofPartner(), `${ofPartner()}/api-keys`)), label: 'production' };
    const [page = '', ...others] = await insistently(`${ofPartner()}/api-keys`, fields);
    expect([others, await count(keys, 'api_keys')]).toStrictEqual([[], before + 1]);
    const keyOf = async (who: ConsoleVisitor): Promise<string | undefined> =>
      /<pre.*?<code>(.*?)<\/code>/.exec(await htmlOf(page, who))?.[1];
    const key = (await keyOf(visitor)) ?? '';
    expect([await keyOf(visitor), await keyOf(visitor.copy())]).toStrictEqual([key, key]);
    expect((await whenServed(() => fetch(`${service.url}/v1/rupa/me`, { headers: { 'X-API-KEY': key } }))).status).toBe(200);
    const other = await signedIn();
    expect([(await other.get(page)).status, await keyOf(other)]).toStrictEqual([410, undefined]);
    const { rows } = await db.query("select * from ops.stored_response where partner_id like 'console/%'");
    expect([JSON.stringify(rows).includes(key), service.output().includes(key)]).toStrictEqual([false, false]);
    const stored = await visitor.act(page, `${page}/stored`);
    expect([locationOf(stored), (await visitor.get(page)).status]).toStrictEqual([ofPartner(), 410]);
    expect(await htmlOf(page)).toContain('revoke it on the partner’s page and issue another one');
  });

  it('shows a key for ten minutes', async () => {
    const page = locationOf(await visitor.act(ofPartner(), `${ofPartner()}/api-keys`));
    const age = async (minutes: number): Promise<void> => {
      await db.query("update ops.stored_response set begun_at = now() - $1 * interval '1 minute' where partner_id = 'console/secrets'", [
        minutes,
      ]);
    };
    await age(9);
    expect((await visitor.get(page)).status).toBe(200);
    await age(10);
    expect((await visitor.get(page)).status).toBe(410);
  });

  it('credits, pays out and reverses once, and asks before what is taken from the balance', async () => {
    const before = await balanceOf(service, world.partner);
    const credit = { ...(await visitor.form(ofPartner(), `${ofPartner()}/credits`)), amount: '70', reference: 'r-70' };
    expect(await insistently(`${ofPartner()}/credits`, credit)).toStrictEqual(new Set([ofPartner()]));
    const payout = { amount: '30', reference: 'p-30', reason: 'asked for' };
    const asked = locationOf(
      await visitor.submit(`${ofPartner()}/payouts`, { ...(await visitor.form(ofPartner(), `${ofPartner()}/payouts`)), ...payout }),
    );
    expect(await balanceOf(service, world.partner)).toBe(before + 70);
    const question = await htmlOf(asked);
    for (const text of ['Record the payout to Sahel Savings Bank?', 'The amount is taken from the partner’s balance.', 'p-30', 'asked for'])
      expect(question).toContain(text);
    // The address has nothing of what was typed. A random id may contain any two digits.
    expect(asked).toMatch(/^\/console\/confirm\/[\w-]{32}$/);
    // The page that asks has the same key whenever it is loaded.
    for (let time = 0; time < 2; time += 1)
      await insistently(`${ofPartner()}/payouts`, await visitor.form(asked, `${ofPartner()}/payouts`));
    expect(await balanceOf(service, world.partner)).toBe(before + 70 - 30);
    await visitor.submit(`${ofPartner()}/payouts`, await visitor.form(asked, `${ofPartner()}/payouts`));
    expect(await htmlOf(ofPartner())).toContain('The payout is recorded.');
  });

  it('publishes fees once, on a page that can be loaded again', async () => {
    const compared = locationOf(await visitor.act('/console/prices', '/console/prices/compare', { 'fee:svc_fee.farms': '91' }));
    expect(await htmlOf(compared)).toContain('Nothing is published yet.');
    for (let time = 0; time < 2; time += 1)
      await insistently('/console/prices/publish', await visitor.form(compared, '/console/prices/publish'));
    expect((await admin(service, 'GET', '/price-book')).body.data).toMatchObject({ version: 2, fees: { 'svc_fee.farms': 91 } });
  });

  it('does nothing with other values under the key of an earlier submission, and keeps them', async () => {
    const fields = { ...(await visitor.form('/console/partners', '/console/partners')), company_name: 'First Bank' };
    await visitor.submit('/console/partners', fields);
    const before = await count('/partners', 'partners');
    expect(locationOf(await visitor.submit('/console/partners', { ...fields, company_name: 'Second Bank' }))).toBe('/console/partners');
    const html = await htmlOf('/console/partners');
    expect(html).toContain('This form was submitted before, with other values.');
    expect(formsIn(html).find(({ action }) => action === '/console/partners')?.fields).toContainEqual(['company_name', 'Second Bank']);
    expect(await count('/partners', 'partners')).toBe(before);
  });

  it('keeps what was typed when it is refused, and can be submitted again with the same key', async () => {
    const action = `${ofPartner()}/credits`;
    const fields: Record<string, string> = {
      ...(await visitor.form(ofPartner(), action)),
      amount: '7.123',
      reference: 'r-7',
      bank_fee: '1',
    };
    expect(locationOf(await visitor.submit(action, fields))).toBe(ofPartner());
    const refilled = await visitor.form(ofPartner(), action);
    expect(refilled._key).not.toBe(fields._key);
    expect(refilled).toMatchObject({ amount: '7.123', reference: 'r-7', bank_fee: '1' });
    await visitor.submit(action, { ...fields, amount: '7' });
    expect(await htmlOf(ofPartner())).toContain('The wallet is credited.');
    expect(await visitor.form(ofPartner(), action)).toMatchObject({ amount: '', reference: '' });
  });

  it('asks for a typed word before what cannot be reversed', async () => {
    const page = `/console/farmers/${world.rupaId}`;
    for (const _typed of ['', 'rp-other', world.rupaId.toUpperCase()]) await visitor.act(page, `${page}/erase`, { _typed });
    expect(await htmlOf(page)).toContain(`Nothing was done: to confirm “Erase for good”, type ${world.rupaId} exactly.`);
    await visitor.act('/console/books/months', '/console/books/months', { _typed: '2026-02' });
    expect((await admin(service, 'GET', `/farmers/${world.rupaId}/report`)).body.data.erased_at).toBeNull();
    expect(JSON.stringify((await admin(service, 'GET', '/ledger/periods')).body)).not.toContain('"closed"');
    await visitor.act(page, `${page}/erase`, { _typed: world.rupaId });
    expect(await htmlOf(page)).toContain('The farmer is erased.');
  });

  it('leads to a page whatever it is, and never responds with one itself', async () => {
    for (const { page, action } of await allForms()) {
      const fields = await visitor.form(page, action).catch(() => undefined);
      if (fields) expect([action, (await visitor.submit(action, fields)).status]).toStrictEqual([action, 303]);
    }
  });
});

/** Fields that the page sends without a person typing them. */
function isFixed(name: string): boolean {
  return name.startsWith('was_') || ['mode', 'period', 'kind', 'account', 'account_type', 'section'].includes(name);
}
