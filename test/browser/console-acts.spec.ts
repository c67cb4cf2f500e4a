import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn, type SignedIn } from '../support/browser.js';
import { makePartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';

describeInBrowser('a person in the console', () => {
  let service: TestService;
  let browser: Browser;
  let administrator: SignedIn;

  beforeAll(async () => {
    service = await startApplication();
    browser = await launchBrowser();
    administrator = await signedIn(browser, service, service.adminToken);
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('registers a partner, activates it, credits its wallet and issues a key that works', async () => {
    const { page, complaints } = administrator;
    await page.goto('/console/partners');
    await page.getByLabel('Company').fill('Delta Growers Bank');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Delta Growers Bank' }).waitFor();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('The partner is active.').waitFor();

    await page.getByLabel('Amount in NGN').first().fill('1500.50');
    await page.getByLabel('Reference', { exact: true }).fill('transfer-7');
    await page.getByRole('button', { name: 'Credit', exact: true }).click();
    await page.getByText('Its balance is ₦1,500.50.').waitFor();

    await page.getByLabel('Label').fill('production');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    const key = (await page.locator('pre code').textContent()) ?? '';
    await page.reload();
    expect(await page.locator('pre code').textContent()).toBe(key);
    await page.goBack();
    await page.goForward();
    expect(await page.locator('pre code').textContent()).toBe(key);
    const me = await whenServed(() => fetch(`${service.url}/v1/rupa/me`, { headers: { 'X-API-KEY': key } }));
    expect([me.status, complaints]).toStrictEqual([200, []]);
  });

  it('ends the page of a new key, which then is shown no longer', async () => {
    const { page } = administrator;
    const address = page.url();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('The page is not shown any more.').waitFor();
    // The page may not be there to its end yet. A wait for one row fails if there are two.
    await page.getByRole('row').filter({ hasText: 'production' }).waitFor();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Not shown any more' }).waitFor();
  });

  it.each([true, false])('is asked before an act that takes something away (scripts: %s)', async (javaScriptEnabled) => {
    const { page, close } = await signedIn(browser, service, service.adminToken, {
      javaScriptEnabled,
      viewport: { width: 390, height: 844 },
    });
    await page.goto('/console/partners');
    await page.getByRole('link', { name: 'Delta Growers Bank' }).click();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('Its lookups are refused until you activate it again.').waitFor();
    await page.getByRole('link', { name: 'Go back without doing it' }).click();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('heading', { name: 'Deactivate Delta Growers Bank?' }).waitFor();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('The partner is pending').waitFor();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('The partner is active.').waitFor();
    await close();
  });

  it('registers one partner with a double click', async () => {
    const { page } = administrator;
    await page.goto('/console/partners');
    await page.getByLabel('Company').fill('Twice Bank');
    await page.getByRole('button', { name: 'Register' }).dblclick();
    await page.getByRole('heading', { name: 'Twice Bank' }).waitFor();
    await page.goto('/console/partners?search=Twice');
    expect(await page.getByRole('link', { name: 'Twice Bank' }).count()).toBe(1);
  });

  it.each([true, false])('finds what was typed again after the session has ended (scripts: %s)', async (javaScriptEnabled) => {
    const { page, close } = await signedIn(browser, service, service.adminToken, { javaScriptEnabled });
    await page.goto('/console/partners');
    await page.getByLabel('Company').fill('Late Bank');
    await page.context().clearCookies({ name: 'rupa_session' });
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await page.getByLabel('Token').fill(service.adminToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Go to the form with what you typed' }).click();
    expect([await page.getByLabel('Company').inputValue(), new URL(page.url()).search]).toStrictEqual(['Late Bank', '']);
    await close();
  });

  it('moves to the search with Ctrl-K', async () => {
    const { page } = administrator;
    await page.goto('/console/partners');
    await page.keyboard.press('Control+k');
    expect(await page.evaluate('document.activeElement?.getAttribute("name")')).toBe('q');
  });

  it('sees local times on hover', async () => {
    const { page } = administrator;
    await page.goto('/console/partners');
    await page.getByRole('link', { name: 'Delta Growers Bank' }).click();
    await page
      .getByTitle(/\(local\).+\(UTC\)$/)
      .first()
      .waitFor();
  });

  it('sees no script of a name run, and no script that is put into the page', async () => {
    const { page } = administrator;
    await makePartner(service, { company_name: '<script>window.ran = true</script><img src=x onerror="window.ran = true">' });
    await page.goto('/console/partners');
    await page.getByRole('link', { name: '<script>' }).waitFor();
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
    }`);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('who is an auditor finds no button that changes something', async () => {
    const { page, close } = await signedIn(browser, service, service.auditorToken);
    await page.goto('/console/partners');
    await page.getByRole('link', { name: 'Delta Growers Bank' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.waitForLoadState();
    expect(await page.getByRole('button').allTextContents()).toStrictEqual(['Sign out']);
    await close();
  });

  it('is signed out in every window', async () => {
    const { page } = await signedIn(browser, service, service.adminToken);
    const other = await page.context().newPage();
    await other.goto('/console/partners');
    await page.goto('/console/partners');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    await other.reload();
    expect(new URL(other.url()).pathname).toBe('/console/sign-in');
  });
});
