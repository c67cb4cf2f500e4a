import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { describeInBrowser, launchBrowser, newContext } from '../support/browser.js';
import { signInSettings, TestOpenIdProvider } from '../support/open-id-provider.js';
import { freePort } from '../support/starting.js';
import { startService, type TestService } from '../support/service.js';

describeInBrowser('a person at an OpenID provider', () => {
  let service: TestService;
  let provider: TestOpenIdProvider;
  let browser: Browser;

  beforeAll(async () => {
    const port = await freePort();
    const CONSOLE_URL = `http://127.0.0.1:${port}`;
    provider = await TestOpenIdProvider.start({ redirectUri: `${CONSOLE_URL}/console/sign-in/callback` });
    service = await startService({ ...signInSettings(provider.issuer), PORT: String(port), CONSOLE_URL });
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
    await provider.stop();
  });

  it('signs in, comes back to the page that they asked for, and signs out', async () => {
    provider.person = { sub: 'a-1', email: 'amina@bank.example', roles: ['rupa-admin'] };
    const page = await (await newContext(browser, { baseURL: service.url })).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto('/console/partners');
    await page.getByRole('link', { name: 'Sign in with' }).click();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
    await page.getByText('amina@bank.example').waitFor();
    await page.getByRole('button', { name: 'Register' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign out there, too' }).waitFor();
    expect(complaints).toStrictEqual([]);
  });
});
