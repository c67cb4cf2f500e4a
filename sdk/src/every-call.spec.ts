import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ok, scriptedFetch } from '../../test/support/unit/scripted-fetch.js';
import { PagedList, RupaClient } from './index.js';

const PAGE = { lookups: [], contributions: [], consents: [], entries: [], deliveries: [], events: [{}], next_cursor: null };

const isGenerator = (made: unknown): made is AsyncGenerator => typeof made === 'object' && made !== null && 'next' in made;

/** Calls the service with every call that the client has, and returns the paths. */
async function everyCall(): Promise<string[]> {
  const found: string[] = [];
  const call = async (make: (client: RupaClient) => unknown): Promise<void> => {
    const { fetch, sent } = scriptedFetch(ok(PAGE));
    const made = make(new RupaClient({ apiKey: 'k', baseUrl: 'https://api.example', fetch }));
    if (made instanceof PagedList) await made.page();
    else if (isGenerator(made)) await made.next();
    else await made;
    found.push(...sent.map(({ url }) => new URL(url).pathname));
  };
  await call((client) => client.lookup({ rupa_id: 'rp-1' }));
  await call((client) => client.report({ rupa_id: 'rp-1', event: 'loan_disbursed' }));
  await call((client) => client.lookUpAll(['rp-1']).chunks());
  await call((client) => client.reportAll([{ rupa_id: 'rp-1', event: 'loan_disbursed' }]).chunks());
  await call((client) => client.me());
  await call((client) => client.prices());
  await call((client) => client.lookups.list());
  await call((client) => client.lookups.get('lookupId'));
  await call((client) => client.contributions.list());
  await call((client) => client.consents.list());
  await call((client) => client.consents.release('rupaId'));
  await call((client) => client.events.list());
  await call((client) => client.events.follow());
  await call((client) => client.wallet.entries());
  await call((client) => client.wallet.head());
  await call((client) => client.wallet.export());
  await call((client) => client.wallet.statement('month'));
  await call((client) => client.wallet.printedStatement('month', 'csv'));
  await call((client) => client.wallet.statementPdf('month'));
  await call((client) => client.wallet.proof());
  await call((client) => client.wallet.proof(1));
  await call((client) => client.wallet.setLowBalance(null));
  await call((client) => client.webhooks.register({ url: 'https://partner.example' }));
  await call((client) => client.webhooks.list());
  await call((client) => client.webhooks.get(1));
  await call((client) => client.webhooks.update(1, {}));
  await call((client) => client.webhooks.disable(1));
  await call((client) => client.webhooks.enable(1));
  await call((client) => client.webhooks.delete(1));
  await call((client) => client.webhooks.rotateSecret(1));
  await call((client) => client.webhooks.test(1));
  await call((client) => client.webhooks.recover(1, new Date()));
  await call((client) => client.webhooks.deliveries(1));
  await call((client) => client.webhooks.delivery(1, 2));
  await call((client) => client.webhooks.resend(1, 2));
  await call((client) => client.keys.list());
  await call((client) => client.keys.rotate());
  await call((client) => client.sandbox.addPlayMoney(1));
  await call((client) => client.sandbox.triggerEvent({ type: 'farmer.loan_added', rupa_id: 'rp-1' }));
  await call((client) => client.sandbox.reset());
  return found;
}

describe('the client', () => {
  it('has a method for every path of partners', async () => {
    const types = readFileSync('sdk/src/api-types.generated.ts', 'utf8');
    const documented = [...types.matchAll(/^ {4}url: '(.+)';$/gm)].map(([, url = '']) => url);
    expect(documented.length).toBeGreaterThan(20);
    const patterns = documented.map((url) => new RegExp(`^${url.replaceAll(/\{\w+\}/g, '\\w+')}$`));
    const called = await everyCall();
    expect(documented.filter((_url, index) => !called.some((path) => patterns[index]?.test(path)))).toStrictEqual([]);
    expect(called.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toStrictEqual([]);
  });
});
