import { expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';

/** More than one page of the list has. */
const KEYS = 60;

it('shows every key of a partner, and lets each be revoked, page by page', async () => {
  const service = await sharedApplication();
  const { partner_id } = await makePartner(service, { credit: 0 });
  await Promise.all(Array.from({ length: KEYS }, () => admin(service, 'POST', `/partners/${partner_id}/api-keys`, {})));
  // A call whose key is recorded, but not shown in time, is sent again, and there is one key more.
  const issued: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await admin(service, 'GET', `/partners/${partner_id}/api-keys${cursor && `?cursor=${cursor}`}`);
    const { api_keys, next_cursor } = body.data as { api_keys: { key_id: string }[]; next_cursor: string | null };
    issued.push(...api_keys.map(({ key_id }) => key_id));
    cursor = next_cursor;
  }
  expect(issued.length).toBeGreaterThan(KEYS);
  const visitor = new ConsoleVisitor(service);
  await visitor.signIn(service.adminToken);
  const shown: (string | undefined)[] = [];
  for (let page: string | undefined = `/console/partners/${partner_id}`; page !== undefined;) {
    const html: string = await (await visitor.get(page)).text();
    shown.push(...[...html.matchAll(/\/api-keys\/([^"/]+)\/revoke"/g)].map(([, id]) => id));
    page = /<a rel="next" href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(shown.toSorted()).toStrictEqual(issued.toSorted());
});
