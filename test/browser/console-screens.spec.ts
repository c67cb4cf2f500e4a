import { afterAll, beforeAll, expect, it } from '@jest/globals';
import axe from 'axe-core';
import { type Browser } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { admin } from '../support/client.js';
import { type ConsoleWorld, makeConsoleWorld } from '../support/console-world.js';
import { requestCredit } from '../support/pending-approval.js';
import { openLog } from '../support/service-log.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** `npm run screenshots` sets the folder into which each screen is drawn. */
const { SCREENSHOTS } = process.env;
const SIZES = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;

/** The screens, each with the path that shows it and a text that it has only if its data are there. */
const SCREENS: readonly (readonly [path: (world: ConsoleWorld) => string, text: (world: ConsoleWorld) => string])[] = [
  [() => '/console', () => 'Lookups'],
  [() => '/console?period=month', () => 'Lookups in each six hours'],
  [() => '/console/money?mode=sandbox', () => 'Top partners'],
  [() => '/console/partners', () => 'Sahel Savings Bank'],
  [({ partner }) => `/console/partners/${partner.partner_id}`, ({ endpointId }) => (endpointId ? 'hooks.example' : '')],
  [({ partner }) => `/console/wallets/${partner.partner_id}`, ({ lookupId }) => lookupId.slice(0, 4)],
  [({ partner }) => `/console/wallets/${partner.partner_id}/verification`, () => 'entries'],
  [({ partner }) => `/console/verify?partner=${partner.partner_id}`, () => 'Heads that were noted earlier'],
  [() => '/console/verify/evidence', () => 'Verifier keys'],
  [() => '/console/lookups', () => 'Lookup'],
  [({ lookupId }) => `/console/lookups/${lookupId}`, () => 'rp-console-1'],
  [({ rupaId }) => `/console/lookups?rupa_id=${rupaId}`, () => 'Sahel Savings Bank'],
  [() => '/console/webhooks', () => 'hooks.example'],
  [({ endpointId }) => `/console/webhooks/${endpointId}`, () => 'farmer.loan_added'],
  [
    ({ endpointId, rupaId }) => `/console/webhooks/${endpointId}?from=2026-01-01T00%3A00&to=2199-01-01T00%3A00&rupa_id=${rupaId}`,
    () => 'farmer.loan_added',
  ],
  [() => '/console/farmers', () => 'Farmer'],
  [({ rupaId }) => `/console/farmers/${rupaId}`, () => 'Sahel Savings Bank'],
  [() => '/console/prices', () => 'identity'],
  [() => '/console/books?mode=sandbox', () => 'cash_received'],
  [() => '/console/books/entries', () => 'Post the entry'],
  [() => '/console/books/months?mode=sandbox', () => 'Can be closed from'],
  [() => '/console/books/statements?mode=sandbox', () => 'No month of the sandbox books is closed'],
  [() => '/console/books/revenue?mode=sandbox&by=section,month', () => 'identity'],
  [() => '/console/books/prepaid?mode=sandbox', () => '31 to 90'],
  [() => '/console/books/journal?mode=sandbox', () => 'partner_balances'],
  [() => '/console/books/checkpoints', () => 'heckpoint'],
  [() => '/console/books/reconciliation', () => 'The bank’s file'],
  [() => '/console/approvals', () => 'Approve'],
  [() => '/console/read-models', () => 'wallet_entry'],
  [() => '/console/log', () => 'Newest events'],
  [() => '/console/log/stream', () => 'Name of the stream'],
  [({ partner }) => `/console/log/stream?name=wallet-${partner.partner_id}`, () => 'WalletCredited'],
  [({ rupaId }) => `/console/log/stream?name=farmer-${rupaId}`, () => 'Show what is hidden'],
  [() => '/console/log/set-aside', () => 'No event is set aside'],
  [() => '/console/log/parts', () => 'Webhook endpoints'],
  [({ partner }) => `/console/wallets/${partner.partner_id}?type=WalletDebited`, () => 'Charge of a lookup'],
  [() => '/console/administration', () => '/admin/v1/'],
  [() => '/console/administration/tokens', () => 'auditor'],
  [({ requestId }) => `/console/search?q=${requestId}`, () => 'Lookup'],
  [() => '/console/no-such-page', () => 'There is no such page.'],
];

/** Returns the name of a screen's picture, the same in every run. */
function nameOf(path: string, { partner, lookupId, requestId }: ConsoleWorld): string {
  const named = path.replace(partner.partner_id, 'partner').replace(lookupId, 'lookup').replace(requestId, 'request');
  return named.replace(/^\/console\/?/, '').replaceAll(/[^A-Za-z0-9]+/g, '-') || 'overview';
}

/** Returns the controls of which another one covers a part, so that a person may press the wrong one. */
const COVERED = `(() => {
  const shown = [...document.querySelectorAll('main :is(button, select, textarea, input:not([type=hidden]))')].filter((each) => each.checkVisibility());
  const boxes = shown.map((each) => [each.outerHTML, each.getBoundingClientRect()]);
  const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  return boxes.filter(([, one], at) => boxes.some(([, other], index) => index !== at && meet(one, other))).map(([html]) => html);
})()`;

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describeInBrowser('a screen of the console', () => {
  let service: TestService;
  let browser: Browser;
  let world: ConsoleWorld;

  beforeAll(async () => {
    service = await startApplication();
    world = await makeConsoleWorld(service);
    const { eventStore } = await openLog(service);
    await requestCredit(eventStore, world.partner.partner_id);
    await eventStore.close();
    await until(async () => {
      const { approvals = [] } = (await admin(service, 'GET', '/approvals')).body.data as { approvals?: readonly unknown[] };
      return approvals.length > 0;
    });
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it.each(SIZES)(
    'shows its data, fits a width of $width, and is usable with assistive technology ($colorScheme)',
    async ({ colorScheme, ...viewport }) => {
      const { page, complaints, close } = await signedIn(browser, service, service.adminToken, { viewport, colorScheme });
      for (const [pathIn, textIn] of SCREENS) {
        const path = pathIn(world);
        await page.goto(path);
        await page.getByText(textIn(world)).first().waitFor({ state: 'attached' });
        const wider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
        if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${nameOf(path, world)}-${viewport.width}.png`, fullPage: true });
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate<{ violations: readonly Finding[] }>('axe.run()');
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect([
          path,
          wider,
          await page.evaluate<readonly string[]>(COVERED),
          serious.map(({ id, nodes }) => [id, ...nodes.map(({ failureSummary, html }) => `${html} ${failureSummary}`)]),
        ]).toStrictEqual([path, false, [], []]);
      }
      const missing = '/console/no-such-page: Failed to load resource: the server responded with a status of 404 (Not Found)';
      expect(complaints.filter((complaint) => !complaint.endsWith(missing))).toStrictEqual([]);
      await close();
    },
  );
});
