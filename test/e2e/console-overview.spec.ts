import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const RUPA_ID = `rp-${randomUUID()}`;

describe('the overview of the console', () => {
  let service: Application;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    service = await sharedApplication();
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { identity: { full_name: 'Aisha Bello' } });
    visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.auditorToken);
  });

  /** Returns the rows of the partners that run out, each as text. */
  const runningOut = async (): Promise<readonly string[]> => {
    const [, list = ''] = (await (await visitor.get('/console')).text()).split('id="running-out"');
    const [, body = ''] = /<tbody[^>]*>(.*?)<\/tbody>/s.exec(list) ?? [];
    return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => row.replaceAll(/<[^>]+>/g, ' '));
  };

  it('lists a live partner whose money lasts for less than a week, with what was charged', async () => {
    const companies = { short: `Short ${randomUUID()}`, rich: `Rich ${randomUUID()}`, idle: `Idle ${randomUUID()}` };
    const price = 50;
    const short = await makePartner(service, { company_name: companies.short, credit: price + 1 });
    const rich = await makePartner(service, { company_name: companies.rich, credit: 100_000 });
    await makePartner(service, { company_name: companies.idle, credit: 1 });
    for (const partner of [short, rich]) expect((await partner.lookup(RUPA_ID, { sections: ['identity'] })).status).toBe(200);
    await until(async () => (await runningOut()).some((row) => row.includes(companies.short)));
    const rows = await runningOut();
    expect(rows.find((row) => row.includes(companies.short))).toMatch(/₦1\.00\s+₦50\.00/);
    expect(rows.filter((row) => row.includes(companies.rich) || row.includes(companies.idle))).toStrictEqual([]);
    expect(await (await visitor.get('/console')).text()).toContain('Live partners that run out of money within a week');
  });

  it('takes no credit for a charge: a partner that was credited is not listed', async () => {
    const company = `Credited ${randomUUID()}`;
    const partner = await makePartner(service, { company_name: company, credit: 51 });
    await partner.lookup(RUPA_ID, { sections: ['identity'] });
    await until(async () => (await runningOut()).some((row) => row.includes(company)));
    await admin(service, 'POST', `/partners/${partner.partner_id}/wallet/credits`, { amount: 1_000, reference: randomUUID() });
    await until(async () => !(await runningOut()).some((row) => row.includes(company)));
  });

  it('leads to the prices, which say who published those in force', async () => {
    const { version } = (await admin(service, 'GET', '/price-book')).body.data;
    const { versions } = (await admin(service, 'GET', '/price-book/history')).body.data as {
      versions: readonly { readonly version: unknown; readonly actor: string | null }[];
    };
    const publisher = versions.find((each) => each.version === version)?.actor;
    expect(publisher).toBeTruthy();
    expect(await (await visitor.get('/console/prices')).text()).toContain(`${publisher} published it at <time`);
  });
});
