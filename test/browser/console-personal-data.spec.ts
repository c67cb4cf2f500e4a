import { afterAll, beforeAll, expect, it } from '@jest/globals';
import axe from 'axe-core';
import { type Browser } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { admin } from '../support/client.js';
import { RECORD } from '../support/section-facts.js';
import { type TestService } from '../support/service.js';

/** `npm run screenshots` sets the folder into which each screen is drawn. */
const { SCREENSHOTS } = process.env;
const SIZES = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;
const REASON = 'Complaint 4711: wrong phone number';

describeInBrowser('the personal data of a farmer', () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startApplication();
    const { identity, bvn_nin_data, transaction_volume, farms, wallet } = RECORD;
    const { total_outstanding: _total, partner_loans: _loans, ...outstanding_loans } = RECORD.outstanding_loans;
    const sections = { identity, bvn_nin_data, outstanding_loans, transaction_volume, farms, wallet };
    await admin(service, 'PUT', '/farmers/rp-personal-1', { phone_verified: true, ...sections });
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it.each(SIZES)('appears once a reason is typed, at a width of $width ($colorScheme)', async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await signedIn(browser, service, service.adminToken, { viewport, colorScheme });
    await page.goto('/console/farmers/rp-personal-1');
    const show = page.getByRole('button', { name: 'Show personal data' });
    await show.click();
    // The browser itself asks for a reason, so no page was loaded.
    expect(await page.locator('input[name="reason"]:invalid').count()).toBe(1);
    expect(await page.getByText('Aisha Bello').count()).toBe(0);

    await page.getByLabel('Reason').fill(REASON);
    await show.click();
    await page.getByText('Aisha Bello').waitFor();
    await page.getByText(`admin read this record for the reason “${REASON}”`).waitFor();
    await page.waitForLoadState();
    expect(new URL(page.url()).search).toBe('');
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/farmer-personal-data-${viewport.width}.png`, fullPage: true });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{ violations: readonly { id: string; impact: string | null }[] }>('axe.run()');
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toStrictEqual([]);

    await page.getByRole('link', { name: 'audit trail' }).click();
    await page.getByRole('cell', { name: REASON }).first().waitFor();
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/audit-trail-with-reason-${viewport.width}.png`, fullPage: true });
    await page.goto('/console/farmers/rp-personal-1');
    await show.waitFor();
    expect([await page.getByText('Aisha Bello').count(), complaints]).toStrictEqual([0, []]);
    await close();
  });
});
