import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { sharedApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { admin, makePartner } from '../support/client.js';
import { type Application } from '../support/service.js';

const LONGEST = 'W'.repeat(255);
const LEGAL = { name: LONGEST, address: LONGEST, tax_id: LONGEST, registration_number: LONGEST };

describeInBrowser('a screen of the console with the longest texts', () => {
  let service: Application;
  let browser: Browser;
  let partnerId: string;

  beforeAll(async () => {
    service = await sharedApplication();
    const partner = await makePartner(service, { company_name: LONGEST, credit: 0 });
    partnerId = partner.partner_id;
    const calls = [
      await admin(service, 'PATCH', `/partners/${partnerId}`, { legal: LEGAL }),
      await admin(service, 'POST', `/partners/${partnerId}/api-keys`, { label: LONGEST }),
      await admin(service, 'POST', `/partners/${partnerId}/wallet/credits`, {
        amount: 5,
        reference: LONGEST,
        kind: 'goodwill',
        reason: LONGEST,
      }),
    ];
    expect(calls.map(({ status }) => status)).toStrictEqual([200, 201, 200]);
    browser = await launchBrowser();
  });

  afterAll(() => browser.close());

  it.each([1_280, 390])('fits a width of %d', async (width) => {
    const { page, close } = await signedIn(browser, service, service.adminToken, { viewport: { width, height: 900 } });
    for (const path of [
      `/console/partners/${partnerId}`,
      `/console/wallets/${partnerId}`,
      '/console/partners',
      `/console/search?q=${LONGEST}`,
    ]) {
      await page.goto(path);
      expect([path, await page.evaluate<number>('document.documentElement.scrollWidth')]).toStrictEqual([path, width]);
    }
    await close();
  });
});
