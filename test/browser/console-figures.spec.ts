import { afterAll, beforeAll, expect, it } from '@jest/globals';
import axe from 'axe-core';
import pg from 'pg';
import { type Browser, type Page } from 'playwright-core';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

const { SCREENSHOTS } = process.env;

describeInBrowser('a page of the console', () => {
  let stores: SharedStores;
  let one: TestService;
  let other: TestService;
  let browser: Browser;
  let page: Page;
  let partner: TestPartner;
  let db: pg.Client;

  beforeAll(async () => {
    stores = await startSharedStores();
    one = await stores.start('api,console,projector,webhooks', { PORT: String(await freePort()) });
    other = await stores.start('api');
    partner = await makePartner(one, { mode: 'sandbox' });
    await whenServed(() => admin(one, 'PUT', '/farmers/rp-figures-2', { mode: 'sandbox', phone_verified: true }));
    db = new pg.Client(stores.databaseUrl);
    await db.connect();
    browser = await launchBrowser();
    ({ page } = await signedIn(browser, one, one.adminToken, { viewport: { width: 1280, height: 900 } }));
  });

  afterAll(async () => {
    await browser.close();
    await db.end();
    await stores.close();
  });

  /** Number of lookups, which the page counts. */
  let sent = 0;
  /** Looks a farmer up, again where a busy machine makes the service respond 503. */
  const lookUp = async (service: TestService): Promise<void> => {
    const { status } = await whenServed(() => {
      sent += 1;
      return call(service, 'POST', '/v1/rupa/lookup', {
        headers: { 'X-API-KEY': partner.key },
        body: { rupa_id: 'rp-figures-2', sections: ['identity'] },
      });
    });
    expect(status).toBe(200);
  };
  /** A minute may end while a test runs, so it counts the whole ones and the one that is not over. */
  const lookupsShown = async (): Promise<number> => {
    const card = (await page.locator('.card').first().textContent()) ?? '';
    const [, whole, since = 0] = /^Lookups([\d,]+)(?: \+ (\d+) since \d\d:\d\d)?in 60 minutes/.exec(card) ?? [];
    return Number(whole) + Number(since);
  };
  const draw = async (name: string): Promise<void> => {
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
  };
  const seriousFindings = async (): Promise<unknown> => {
    await page.waitForLoadState();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>('axe.run()');
    return violations
      .filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
  };

  it('adds up the lookups of all processes, and shows the same figures as a table', async () => {
    for (const service of [one, other, other]) await lookUp(service);
    await until(async () => (await lookupsShown()) === sent);
    await until(async () => (await page.getByRole('region', { name: 'Processes' }).getByText('alive').count()) === 3);
    await page.getByText('Lookups in each minute: table').click();
    const table = page.getByRole('region', { name: 'Lookups in each minute: table' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toStrictEqual(['From (UTC)', 'All', 'Errors', 'Billed']);
    expect(await table.getByRole('row').count()).toBe(61);
    await draw('figures');
    expect(await seriousFindings()).toStrictEqual([]);
  });

  it('shows 24 hours and 30 days', async () => {
    for (const [link, label] of [
      ['24 hours', 'Lookups in each ten minutes'],
      ['30 days', 'Lookups in each six hours'],
    ] as const) {
      await page.getByRole('link', { name: link }).click();
      await page.getByRole('img', { name: label }).waitFor();
    }
  });

  it('says on every page that the service is degraded, what that means and what to do', async () => {
    await page.goto('/console/prices');
    // The projector tries the event of a fault again after half a minute, and would end a fault whose event it can apply. This one names none.
    await db.query("update ops.checkpoint set fault = 'no such fee' where projection = 'partner_usage'");
    await page.getByText('The projection partner_usage is faulted.').waitFor();
    await page.getByText('Read its error, then retry or rebuild it.').waitFor();
    await draw('degraded');
    expect(await seriousFindings()).toStrictEqual([]);
    await db.query("update ops.checkpoint set fault = null where projection = 'partner_usage'");
    await page.getByText('The projection partner_usage is faulted.').waitFor({ state: 'detached' });
  });

  it('says since when it has no connection while the service is away, and recovers by itself', async () => {
    const pages = [await page.context().newPage(), page] as const;
    await pages[0].goto('/console/partners');
    await page.goto('/console');
    await page.getByText('The service is ready.').waitFor();
    await one.kill();
    for (const each of pages) {
      await each.bringToFront();
      await each
        .getByRole('alert')
        .getByText(/^No connection since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./)
        .waitFor();
    }
    expect(await page.locator('body.unheard').count()).toBe(1);
    await draw('no-connection');
    expect(await seriousFindings()).toStrictEqual([]);
    await one.restart();
    for (const each of pages) {
      await each.bringToFront();
      await each.locator('body:not(.unheard)').waitFor();
      expect(await each.getByText('No connection since').count()).toBe(0);
    }
    await lookUp(one);
    await until(async () => (await lookupsShown()) === sent);
    await page.getByRole('region', { name: 'Processes' }).getByText('silent').first().waitFor();
  });

  it('shows the money of the books, in live and sandbox mode', async () => {
    await page.goto('/console/money?mode=sandbox');
    await page.getByRole('img', { name: 'Revenue and what was given back, by day' }).waitFor();
    const today = page.locator('.card').filter({ hasText: 'Revenue today' }).locator('strong');
    // The day of the lookups may have ended.
    await until(async () => {
      if (/^₦[1-9]/.test((await today.textContent()) ?? '')) return true;
      await lookUp(one);
      await page.reload();
      return false;
    });
    await draw('money');
    expect(await seriousFindings()).toStrictEqual([]);
  });
});
