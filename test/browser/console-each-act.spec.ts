import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Browser, type Locator, type Page } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { admin } from '../support/client.js';
import { type ConsoleWorld, makeConsoleWorld } from '../support/console-world.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

type Fields = Readonly<Record<string, string>>;

/** The buttons of acts that the console asks to confirm. */
const ASKED = ['Reverse', 'Compensate', 'Disable', 'Cancel the scheduled fees', 'Revoke'];

/** Each act with a form of its own in the console; registering, crediting, keys and read models are in other specs. */
describeInBrowser('an administrator in the console', () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];
  let world: ConsoleWorld;

  beforeAll(async () => {
    service = await startApplication();
    world = await makeConsoleWorld(service);
    browser = await launchBrowser();
    ({ page, complaints } = await signedIn(browser, service, service.adminToken));
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  /** Fills the form with this button, submits it, confirms it where the console asks, and waits for what the next page says. */
  async function act(path: string, button: string, fields: Fields, said: string): Promise<void> {
    await page.goto(path);
    const name = new RegExp(`^${button}`);
    const form = page
      .locator('main form[method="post"]')
      .filter({ has: page.getByRole('button', { name }) })
      .first();
    for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).first().fill(value);
    await form.getByRole('button', { name }).click();
    if (ASKED.includes(button)) await page.locator('main').getByRole('button', { name }).click();
    await page.getByText(said).first().waitFor();
  }
  /** Waits until the script has put a value into a field. */
  const expectValue = async (field: Locator, value: string): Promise<void> => {
    await until(async () => (await field.inputValue()) === value);
  };
  const data = async (path: string) => (await admin(service, 'GET', path)).body.data;
  const ofPartner = (): string => `/console/partners/${world.partner.partner_id}`;
  const partner = () => data(`/partners/${world.partner.partner_id}`);

  it('sets the sections and the addresses of a partner', async () => {
    await page.goto(ofPartner());
    await page.getByLabel('farms').check();
    await page.getByRole('button', { name: 'Set the sections' }).click();
    await page.getByText('Optional sections: farms.').waitFor();
    await act(ofPartner(), 'Set the allow-list', { 'Addresses and networks': '203.0.113.0/24' }, 'may call from 203.0.113.0/24');
    expect(await partner()).toMatchObject({ optional_sections: ['farms'], ip_allow_list: ['203.0.113.0/24'] });
    await act(ofPartner(), 'Set the allow-list', { 'Addresses and networks': '' }, 'may call from every address');
  });

  it('changes only the details of a partner that were edited, and clears one', async () => {
    const path = `/partners/${world.partner.partner_id}`;
    await admin(service, 'PATCH', path, { legal: { tax_id: '1-2', address: '12 Marina\nLagos' } });
    await act(ofPartner(), 'Save the details', { 'Legal name': 'Bank Plc', 'Tax id': '' }, 'The details are saved.');
    const legal = { name: 'Bank Plc', address: '12 Marina\nLagos', tax_id: null, registration_number: null, email: null };
    expect(await partner()).toMatchObject({ customer_number: expect.any(Number), legal });
    await page.getByText('Customer number').first().waitFor();
  });

  it('reverses a credit, and gives the charge of a lookup back', async () => {
    const before = Number((await partner()).wallet_balance);
    const reversal = {
      'Reference of the credit': 'opening',
      'Amount in NGN': '40',
      'Reference of the reversal': 'r-1',
      Reason: 'typed twice',
    };
    await act(ofPartner(), 'Reverse', reversal, '₦40.00 are taken back.');
    await act(`/console/lookups/${world.lookupId}`, 'Compensate', { Reason: 'wrong data' }, '₦50.00 are given back.');
    expect((await partner()).wallet_balance).toBe(before - 40 + 50);
  });

  it('disables and enables an endpoint, sends a delivery again, and recovers what it missed', async () => {
    const endpoint = `/console/webhooks/${world.endpointId}`;
    await act(endpoint, 'Resend', {}, 'is sent again.');
    await act(endpoint, 'Disable', {}, 'The endpoint is disabled');
    await act(endpoint, 'Enable', {}, 'The endpoint is enabled.');
    const since = new Date(Date.now() - 60_000).toISOString().slice(0, 16);
    await act(endpoint, 'Send again what it missed', { 'Since (UTC)': since }, 'deliveries are queued');
  });

  it('publishes fees after a comparison, and schedules and cancels others', async () => {
    const proposed = { 'svc_fee.farms': '90' };
    await act('/console/prices', 'Compare with the fees in force', proposed, 'Nothing is published yet.');
    await page.getByRole('button', { name: 'Publish these fees' }).click();
    await page.getByText('Version 2 of the price book is in force.').waitFor();
    // The day after tomorrow does not begin while the test runs.
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 'yyyy-mm-dd'.length);
    const later = { 'svc_fee.farms': '95', 'In force from (UTC)': `${day}T00:00` };
    await act('/console/prices', 'Compare with the fees in force', later, 'Nothing is published yet.');
    await page.getByRole('button', { name: 'Publish these fees' }).click();
    await page.getByText('The fees are scheduled.').waitFor();
    expect(await data('/price-book')).toMatchObject({
      version: 2,
      fees: { 'svc_fee.farms': 90 },
      scheduled: { fees: { 'svc_fee.farms': 95 } },
    });
    await act('/console/prices', 'Cancel the scheduled fees', {}, 'The scheduled fees are cancelled.');
    expect((await data('/price-book')).scheduled).toBeNull();
  });

  it('makes a checkpoint, and opens a statement', async () => {
    await act('/console/books/checkpoints', 'Make a checkpoint now', {}, 'is made and signed.');
    const month = new Date().toISOString().slice(0, 7);
    await act('/console/books', 'Show the statement', { Partner: world.partner.partner_id, Month: month }, 'Sahel Savings Bank');
  });

  it('shows the columns of a bank’s file, remembers the chosen ones, and shows what a reconciliation finds', async () => {
    const path = '/console/books/reconciliation';
    const today = new Date().toISOString().slice(0, 10);
    const text = `Posted,Code,Words,In\n${today},x,NIP/bank 77/1,250\n${today},x,ACME,5\n`;
    const choose = async (): Promise<void> => {
      await page.goto(path);
      await page.getByLabel('The bank’s file').setInputFiles({ name: 'march.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
      await page.getByText('Columns of the file').waitFor();
      await page.getByLabel('Mode').selectOption('sandbox');
    };
    await admin(service, 'POST', `/partners/${world.partner.partner_id}/wallet/credits`, { amount: 250, reference: 'BANK-77' });
    const reference = page.getByLabel('Column of the narration or reference');
    await choose();
    await page.getByRole('cell', { name: 'NIP/bank 77/1' }).waitFor();
    expect([await page.getByLabel('Column of the date').inputValue(), await reference.inputValue()]).toStrictEqual(['Posted', 'Words']);
    await reference.selectOption('Code');
    await page.getByLabel('Column of money in').selectOption('In');
    await page.getByLabel('Or one column of signed amounts').selectOption('');
    await page.getByRole('button', { name: 'Reconcile' }).click();
    await page.getByText('The file and the books differ.').waitFor();
    await choose();
    await expectValue(reference, 'Code');
    await reference.selectOption('Words');
    await page.getByRole('button', { name: 'Reconcile' }).click();
    await page.getByRole('region', { name: 'Needs attention' }).getByText('ACME').waitFor();
    await page.getByText('Matched rows and split payments').click();
    await page.getByRole('region', { name: 'Matched' }).getByText('BANK-77', { exact: true }).waitFor();
  });

  it('posts a ledger entry, once per reference', async () => {
    const fields = { 'Amount in NGN': '52.50', Reference: 'charge-1', Reason: 'SMS alerts' };
    const posted = async (said: string): Promise<void> => {
      await page.goto('/console/books/entries');
      await page.getByLabel('Kind').selectOption('bank_charge');
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
      await page.getByRole('button', { name: 'Post the entry' }).click();
      await page.getByText(said).first().waitFor();
    };
    await posted('The entry is posted: bank_charge, ₦52.50');
    await posted('This entry was posted before, so nothing changed');
    const { accounts } = (await data('/ledger/trial-balance')) as { accounts: { account: string; closing: number }[] };
    expect(accounts.find(({ account }) => account === 'bank_charges')).toMatchObject({ closing: 52.5 });
  });

  it('closes the next month, which the trial balance then says', async () => {
    const entry = { kind: 'bank_charge', amount: 5, date: '2026-01-15', reference: 'charge-2', reason: 'SMS alerts' };
    await admin(service, 'POST', '/ledger/entries', entry);
    await act('/console/books/months', 'Close 2026-01', { 'Type 2026-01 to confirm': '2026-01' }, 'The month 2026-01 is closed.');
    await page.getByRole('button', { name: 'Close 2026-02' }).waitFor();
    await page.getByRole('link', { name: '2026-01' }).click();
    await page.getByText('closed', { exact: true }).waitFor();
  });

  it('begins maintenance, which every page says, replaces its reason, and ends it', async () => {
    const reason = 'We move to another event store.';
    await act('/console', 'Begin maintenance', { Reason: reason }, 'No instance accepts changes any more.');
    await page.goto(ofPartner());
    await page.getByText(`Reason: ${reason}`).waitFor();
    await act(ofPartner(), 'Set the allow-list', { 'Addresses and networks': '203.0.113.0/24' }, 'Nothing was changed or charged.');
    await act('/console', 'Replace reason and end', { Reason: 'A restore.' }, 'No instance accepts changes any more.');
    expect((await data('/maintenance')).maintenance).toMatchObject({ reason: 'A restore.', until: null });
    await act('/console', 'End maintenance', {}, 'Maintenance is over');
    expect((await data('/maintenance')).maintenance).toBeNull();
    expect(await page.getByText('Change or end it').count()).toBe(0);
  });

  it('revokes a key, shows personal data for a reason, and erases a farmer', async () => {
    await act(ofPartner(), 'Revoke', {}, 'The key is deactivated on every instance.');
    expect((await world.partner.call('GET', '/me')).status).toBe(401);
    const farmer = `/console/farmers/${world.rupaId}`;
    await act(farmer, 'Show personal data', { Reason: 'complaint 4711' }, 'Phone verified');
    await act(farmer, 'Erase for good', { [`Type ${world.rupaId} to confirm`]: 'rp-other' }, 'Nothing was done');
    expect((await data(`/farmers/${world.rupaId}/report`)).erased_at).toBeNull();
    await act(farmer, 'Erase for good', { [`Type ${world.rupaId} to confirm`]: world.rupaId }, 'The farmer is erased.');
    expect(complaints).toStrictEqual([]);
  });
});
