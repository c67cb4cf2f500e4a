import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin } from '../support/client.js';
import { ConsoleVisitor, formsIn } from '../support/console.js';
import { type ConsoleWorld, makeConsoleWorld } from '../support/console-world.js';
import { startApplication } from '../support/application.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** Forms that change nothing, which auditors have, too. */
const READS = ['/console/sign-out', '/console/prices/compare', '/console/books/statement'];

describe('an auditor in the console', () => {
  let service: TestService;
  let world: ConsoleWorld;
  let administrator: ConsoleVisitor;
  let auditor: ConsoleVisitor;

  beforeAll(async () => {
    service = await startApplication();
    world = await makeConsoleWorld(service);
    [administrator, auditor] = [new ConsoleVisitor(service), new ConsoleVisitor(service)];
    await administrator.signIn(service.adminToken);
    await auditor.signIn(service.auditorToken);
  });
  afterAll(() => service.stop());

  /** Returns the forms on a page, with the values that they have, and some where they have none. */
  async function formsOn(page: string): Promise<{ page: string; action: string; fields: Record<string, string> }[]> {
    const html = await (await administrator.get(page)).text();
    return formsIn(html).map(({ action, fields }) => {
      const typed = fields.filter(([name]) => !name.startsWith('_')).map(([name, value]) => [name, value || '1']);
      return { page, action, fields: Object.fromEntries(typed) as Record<string, string> };
    });
  }

  it('is refused every change that an administrator’s pages offer, and each attempt is recorded', async () => {
    const { partner, rupaId, lookupId, endpointId } = world;
    const pages = [
      '/console/partners',
      `/console/partners/${partner.partner_id}`,
      `/console/lookups/${lookupId}`,
      `/console/webhooks/${endpointId}`,
      `/console/farmers/${rupaId}`,
      '/console/prices',
      '/console/books/checkpoints',
      '/console/read-models',
    ];
    const forms = (await Promise.all(pages.map(formsOn))).flat().filter(({ action }) => !READS.includes(action));
    const prices = { page: '/console/prices', action: '/console/prices/publish', fields: { version: '1' } };
    const keys = async (): Promise<readonly unknown[]> => {
      const { api_keys } = (await admin(service, 'GET', `/partners/${partner.partner_id}/api-keys`)).body.data as { api_keys: object[] };
      // The hour of a key's last use is written some seconds after its first call of the hour, and the calls before may be of two hours.
      return api_keys.map((key) => ({ ...key, last_used_at: null }));
    };
    const state = async (): Promise<unknown> => [
      (await admin(service, 'GET', `/partners/${partner.partner_id}`)).body.data,
      await keys(),
      (await admin(service, 'GET', `/lookups/${lookupId}`)).body.data,
      { ...(await admin(service, 'GET', `/farmers/${rupaId}/report`)).body.data, made_at: null },
      (await admin(service, 'GET', '/price-book')).body.data,
      (await admin(service, 'GET', '/checkpoints')).body.data,
    ];
    await until(async () => {
      const { outcome } = (await admin(service, 'GET', `/lookups/${lookupId}`)).body.data as { outcome: { status: string } };
      return outcome.status === 'settled';
    });
    const before = await state();
    for (const { page, action, fields } of [...forms, prices]) {
      const response = await auditor.submit(action, { ...fields, ...(await auditor.crafted(page)) });
      expect({ action, refused: [303, 403].includes(response.status) }).toStrictEqual({ action, refused: true });
    }
    expect(new Set(forms.map(({ action }) => action)).size).toBeGreaterThan(15);
    expect(await state()).toStrictEqual(before);
    // A verification changes nothing, and auditors may start it.
    const isChange = (action: string): boolean => !/^GET|\/console\/|\/verify$/.test(action);
    // The end of a call is recorded a moment after its response.
    const attempts = await until(async () => {
      const { entries } = (await admin(service, 'GET', '/audit-trail?limit=200&actor=auditor')).body.data as {
        entries: readonly { action: string; status: number | null }[];
      };
      const found = entries.filter(({ action }) => isChange(action));
      return found.every(({ status }) => status !== null) && found;
    });
    expect(attempts.length).toBeGreaterThan(15);
    expect(new Set(attempts.map(({ status }) => status))).toStrictEqual(new Set([403]));
  });
});
