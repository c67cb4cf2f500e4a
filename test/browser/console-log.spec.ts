import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import axe from 'axe-core';
import { type Browser, type Page } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** `npm run screenshots` sets the folder into which each screen is drawn. */
const { SCREENSHOTS } = process.env;
const SIZES = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;
const RUPA_ID = 'rp-browsed';
const COMPANY = 'شركة الزراعة المتحدة للتمويل and Great Northern Farmers’ Cooperative Savings and Credit Association';
const ODD = 'notes-ملاحظات المشغل/?#%& "<b>"-with-a-very-long-name-that-never-ends-and-has-no-space-at-all';

describeInBrowser('the log in a browser', () => {
  let store: EventStoreProcess;
  let service: TestService;
  let browser: Browser;
  let partner: TestPartner;

  beforeAll(async () => {
    store = await startEventStoreProcess();
    service = await startApplication({ EVENT_STORE_URL: store.connectionString }, { repeats: true });
    browser = await launchBrowser();
    partner = await makePartner(service, { company_name: COMPANY });
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { identity: { full_name: 'Aisha Bello' } });
    const client = EventStoreDBClient.connectionString(store.connectionString);
    for (const stream of [`wallet-${partner.partner_id}`, `farmer-${RUPA_ID}`, ODD])
      await client.appendToStream(stream, jsonEvent({ type: 'OperatorNoteThatNobodyKnows', data: { note: 'ملاحظة' } }));
    await client.dispose();
    await until(async () => ((await admin(service, 'GET', '/events/set-aside')).body.data.events as unknown[]).length === 2);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await store.close();
  });

  /** Draws the page, and checks that it fits and is usable with assistive technology. */
  async function examine(page: Page, name: string, width: number): Promise<void> {
    await page.waitForLoadState();
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}.png`, fullPage: true });
    expect([name, await page.evaluate('document.documentElement.scrollWidth > innerWidth')]).toStrictEqual([name, false]);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{ violations: readonly { id: string; impact: string | null }[] }>('axe.run()');
    expect([name, violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')]).toStrictEqual([name, []]);
  }

  it.each(SIZES)(
    'shows what is set aside, and what it holds, at a width of $width ($colorScheme)',
    async ({ colorScheme, ...viewport }) => {
      const { page, complaints, close } = await signedIn(browser, service, service.adminToken, { viewport, colorScheme });
      await page.goto('/console/log');
      await page.getByText('not of this service').waitFor();
      await examine(page, 'log-with-notes-newest', viewport.width);
      await page.goto('/console/log/parts');
      await page.getByText('2 waiting').waitFor();
      await examine(page, 'log-with-notes-parts', viewport.width);
      await page.goto('/console/log/set-aside');
      await page.getByText('Lookups of this farmer').waitFor();
      await examine(page, 'log-with-notes-set-aside', viewport.width);
      await page
        .getByRole('link', { name: `farmer-${RUPA_ID}` })
        .first()
        .click();
      await page.getByText('the service cannot tell what in it is personal').waitFor();
      await page.waitForLoadState();
      expect(await page.getByText('Aisha Bello').count()).toBe(0);
      await examine(page, 'log-with-notes-stream', viewport.width);
      await page.getByText('Show what is hidden on this page').click();
      await page.getByLabel('Reason').fill('Complaint 4711');
      await page.getByRole('button', { name: 'Show personal data' }).click();
      await page.getByText('Aisha Bello').waitFor();
      await page.getByText('ملاحظة').first().waitFor();
      await examine(page, 'log-with-notes-stream-personal', viewport.width);
      await page.goto(`/console/log/stream?name=${encodeURIComponent(ODD)}`);
      await page.getByText('Its stream is none of the service’s.').waitFor();
      await examine(page, 'log-with-notes-stream-odd', viewport.width);
      expect(complaints).toStrictEqual([]);
      await close();
    },
  );

  it('suggests partners while their name is typed, and posts the id', async () => {
    for (let number = 0; number < 60; number += 1) await makePartner(service, { company_name: `Newer ${number}` });
    const { page, complaints, close } = await signedIn(browser, service, service.auditorToken);
    await page.goto('/console/verify');
    const options = page.locator('datalist option');
    const own = page.locator(`datalist option[value="${partner.partner_id}"]`);
    expect(await own.count()).toBe(0);
    await page.getByLabel('Partner', { exact: true }).pressSequentially('great northern');
    await own.waitFor({ state: 'attached' });
    expect([await options.count(), complaints]).toStrictEqual([1, []]);
    await close();
  });
});
