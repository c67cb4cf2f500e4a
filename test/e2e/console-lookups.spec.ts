import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const RUPA_ID = 'rp-console-lookups';

describe('lookups in the console', () => {
  let service: Application;
  let bank: TestPartner;
  let auditor: ConsoleVisitor;
  const ids: string[] = [];

  beforeAll(async () => {
    service = await sharedApplication();
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { identity: { full_name: 'Canary Person' } });
    bank = await makePartner(service, { company_name: 'Sahel & Sons' });
    for (let times = 0; times < 21; times += 1) {
      const { body } = await bank.lookup(RUPA_ID, { sections: ['identity'] });
      ids.unshift((body.data as unknown as { billing: { lookup_id: string } }).billing.lookup_id);
    }
    auditor = new ConsoleVisitor(service);
    await auditor.signIn(service.auditorToken);
  });

  const page = async (path: string): Promise<string> => await (await auditor.get(path)).text();
  const listed = (html: string): string[] => [...html.matchAll(/href="\/console\/lookups\/([0-9a-f-]{36})"/g)].map(([, id = '']) => id);

  it('of a farmer are listed newest first, page by page', async () => {
    expect(listed(await page('/console/lookups'))).toStrictEqual([]);
    const first = await page(`/console/lookups?rupa_id=${RUPA_ID}`);
    expect(listed(first)).toStrictEqual(ids.slice(0, 20));
    expect(first).toContain('Sahel &amp; Sons');
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(listed(await page(next))).toStrictEqual(ids.slice(20));
  });

  it('of a farmer are those of the window, to the end of its last minute', async () => {
    const { charged_at } = (await admin(service, 'GET', `/lookups/${ids[0] ?? ''}`)).body.data as unknown as { charged_at: string };
    const minute = charged_at.slice(0, 'yyyy-mm-ddThh:mm'.length);
    const window = async (from: string, to: string): Promise<string[]> =>
      listed(await page(`/console/lookups?${new URLSearchParams({ rupa_id: RUPA_ID, from, to }).toString()}`));
    expect(await window(minute, minute)).toContain(ids[0]);
    expect(await window('2020-01-01T00:00', '2020-12-31T23:59')).toStrictEqual([]);
    expect(await window('', '2020-12-31T23:59')).toStrictEqual([]);
    expect((await window(minute, '')).slice(0, 1)).toStrictEqual(ids.slice(0, 1));
  });

  it('are not listed for what is no Rupa id or no time', async () => {
    for (const query of ['rupa_id=no%20id', `rupa_id=${RUPA_ID}&from=yesterday`]) {
      const response = await auditor.get(`/console/lookups?${query}`);
      expect([query, response.status]).toStrictEqual([query, 422]);
    }
  });

  it('show their events in the log, their request and whether they were traced, and nothing personal', async () => {
    const html = await until(async () => {
      const text = await page(`/console/lookups/${ids.at(-1) ?? ''}`);
      return text.includes('ChargesSettled') && text;
    });
    const { request_id, events } = (await admin(service, 'GET', `/lookups/${ids.at(-1) ?? ''}`)).body.data as unknown as {
      request_id: string;
      events: { revision: number; position: string }[];
    };
    expect(events).toHaveLength(3);
    for (const { revision, position } of events)
      for (const number of [revision, position]) expect(html).toContain(`<span class="number">${number}</span>`);
    for (const text of ['ConsentGranted', 'WalletDebited', `wallet-${bank.partner_id}`, request_id, 'not traced'])
      expect(html).toContain(text);
    expect(html).not.toContain('Canary');
  });

  it('are linked from the page of their farmer', async () => {
    expect(await page(`/console/farmers/${RUPA_ID}`)).toContain(`href="/console/lookups?rupa_id=${RUPA_ID}"`);
  });
});
