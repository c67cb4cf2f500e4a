import { afterAll, beforeAll, expect, it } from '@jest/globals';
import axe from 'axe-core';
import { type Browser, type Page } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { admin } from '../support/client.js';
import { type ConsoleWorld, makeConsoleWorld } from '../support/console-world.js';
import { type TestService } from '../support/service.js';

/** `npm run screenshots` sets the folder into which each page is drawn. */
const { SCREENSHOTS } = process.env;
const SIZES = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;
/** Width in pixels of what is printed on A4, between the margins of the style sheet. */
const PAPER = { width: 703, height: 1_009 };

describeInBrowser('a page that an act of the console leads to', () => {
  let service: TestService;
  let browser: Browser;
  let world: ConsoleWorld;

  beforeAll(async () => {
    service = await startApplication();
    world = await makeConsoleWorld(service);
    await admin(service, 'POST', '/ledger/entries', {
      kind: 'bank_charge',
      amount: 5,
      date: '2026-01-15',
      reference: 'c-1',
      reason: 'SMS',
    });
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  /** Checks that the page fits and has no serious finding, and draws it. */
  async function examine(page: Page, name: string): Promise<void> {
    await page.waitForLoadState();
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${page.viewportSize()?.width ?? 0}.png`, fullPage: true });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{ violations: readonly { id: string; impact: string | null }[] }>('axe.run()');
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id);
    expect([name, await page.evaluate('document.documentElement.scrollWidth > innerWidth'), serious]).toStrictEqual([name, false, []]);
  }

  it.each(SIZES)('fits a width of $width, and is usable with assistive technology ($colorScheme)', async ({ colorScheme, ...viewport }) => {
    const { page, close } = await signedIn(browser, service, service.adminToken, { viewport, colorScheme });
    const ofPartner = `/console/partners/${world.partner.partner_id}`;
    await page.goto(ofPartner);
    const reversal = page.locator(`form[action="${ofPartner}/reversals"]`);
    for (const [name, value] of [
      ['credit_reference', 'opening'],
      ['amount', '40'],
      ['reference', 'r-1'],
      ['reason', 'A transfer that the bank has booked twice, as its letter of the 3rd says'],
    ] as const)
      await reversal.locator(`[name="${name}"]`).fill(value);
    await reversal.getByRole('button').click();
    await page.getByRole('heading', { name: 'Reverse a credit of Sahel Savings Bank?' }).waitFor();
    await examine(page, 'confirm');

    await page.goto(ofPartner);
    await reversal.locator('[name="credit_reference"]').fill('no-such-credit');
    await reversal.locator('[name="reference"]').fill('r-2');
    await reversal.locator('[name="reason"]').fill('booked twice');
    await reversal.getByRole('button').click();
    await page.locator('main').getByRole('button', { name: 'Reverse' }).click();
    await page.getByRole('link', { name: 'Go to the form with what you typed' }).waitFor();
    await examine(page, 'refused');
    expect(await reversal.locator('[name="reason"]').inputValue()).toBe('booked twice');

    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByRole('heading', { name: 'New key' }).waitFor();
    await examine(page, 'new-key');
    const address = page.url();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Not shown any more' }).waitFor();
    await examine(page, 'gone');

    await page.goto(`/console/farmers/${world.rupaId}`);
    await page.getByLabel(`Type ${world.rupaId} to confirm`).waitFor();
    await examine(page, 'erase');
    await close();
  });

  it('says mode and period on paper, and has neither navigation nor buttons there', async () => {
    const { page, close } = await signedIn(browser, service, service.adminToken, { viewport: PAPER, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    const of = `mode=sandbox&from=2026-01-01&to=2026-12-31`;
    const reports: readonly (readonly [path: string, mode: string, period: string])[] = [
      [`/console/books?${of}`, 'sandbox', 'from 2026-01-01'],
      ['/console/books/months', 'live', '2026-01 to '],
      [`/console/books/revenue?${of}&by=section,month`, 'sandbox', 'from 2026-01-01 to 2026-12-31'],
      [`/console/books/prepaid?${of}`, 'sandbox', 'Counted until'],
      [`/console/books/journal?${of}`, 'sandbox', 'from 2026-01-01 to 2026-12-31'],
      ['/console/books/statements?mode=sandbox', 'sandbox', 'every closed month'],
      [`/console/wallets/${world.partner.partner_id}`, 'sandbox', 'Period of the entries below'],
    ];
    for (const [path, mode, period] of reports) {
      await page.goto(path);
      const text = await page.locator('main').innerText();
      expect([path, text]).toStrictEqual([path, expect.stringMatching(new RegExp(`Mode\\s+${mode}`))]);
      expect([path, text]).toStrictEqual([path, expect.stringContaining(period)]);
      const shown = await page.locator('button:visible, nav:visible, input:visible, .pages:visible').count();
      const wider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect([path, shown, wider]).toStrictEqual([path, 0, false]);
      if (SCREENSHOTS) {
        const name = path
          .replace(/^\/console\//, '')
          .replace(/\?.*|\/[0-9a-f-]{36}/g, '')
          .replaceAll('/', '-');
        await page.screenshot({ path: `${SCREENSHOTS}/paper-${name}.png`, fullPage: true });
      }
    }
    await close();
  });
});
