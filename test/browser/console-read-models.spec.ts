import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Browser, type Page } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { makePartner, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';

describeInBrowser('an administrator’s read models', () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let partner: TestPartner;
  let db: pg.Client;

  beforeAll(async () => {
    service = await startApplication();
    partner = await makePartner(service);
    db = new pg.Client(service.stores.DATABASE_URL);
    await db.connect();
    browser = await launchBrowser();
    ({ page } = await signedIn(browser, service, service.adminToken));
  });

  afterAll(async () => {
    await browser.close();
    await db.end();
    await service.stop();
  });

  /** Presses a button in the row of a read model. */
  const press = async (name: string, button: 'Verify' | 'Rebuild', on = page): Promise<void> => {
    await on.goto('/console/read-models');
    await on
      .getByRole('row')
      .filter({ has: on.getByText(name, { exact: true }) })
      .getByRole('button', { name: button })
      .click();
  };

  it('show which row was changed by hand, and are right again after a rebuild', async () => {
    await db.query("update read.wallet_entry set reference = 'forged' where reference = 'opening'");
    await press('wallet_entry', 'Verify');
    await page.getByText('1 row of read.wallet_entry differs from the log.').waitFor();
    const row = page.getByRole('region', { name: 'Rows that differ' }).getByRole('row').nth(1);
    await row.getByRole('cell').nth(2).waitFor();
    expect(await row.getByRole('cell').allTextContents()).toStrictEqual([`["${partner.partner_id}", 0]`, 'other values', 'reference']);
    expect(await page.content()).not.toContain('forged');
    await press('wallet_entry', 'Rebuild');
    await page.getByRole('button', { name: 'Rebuild wallet_entry' }).click();
    await page.getByText('The new table has replaced the old one.').waitFor();
    await press('wallet_entry', 'Verify');
    await page.getByText('No row differs from the log.').waitFor();
  });

  it('are verified by an auditor, who finds no button that repairs them', async () => {
    const { page: auditors, close } = await signedIn(browser, service, service.auditorToken);
    await press('partner', 'Verify', auditors);
    await auditors.getByText('No row differs from the log.').waitFor();
    await auditors.goto('/console/read-models');
    const buttons = (await auditors.getByRole('button').allTextContents()).map((text) => text.split(' ')[0]);
    expect(new Set(buttons)).toStrictEqual(new Set(['Sign', 'Verify']));
    await close();
  });

  it('show a failed job with its reason, and a faulted read model that resumes after a retry', async () => {
    // The projector tries the event of a fault again after half a minute, and would end a fault whose event it can apply. This one names none.
    await db.query("update ops.checkpoint set fault = 'no such fee' where projection = 'price_book'");
    await press('price_book', 'Verify');
    await page.getByText('The read model price_book is faulted (see rupa projections status). Rebuild it first.').waitFor();
    await page.getByText('failed', { exact: true }).waitFor();
    await page.goto('/console/read-models');
    await page.getByText('price_book is faulted. no such fee').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('The read model has resumed and caught up.').waitFor();
    await page.goto('/console/read-models');
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });

  it('show that a job has failed whose process was killed', async () => {
    const { rows } = await db.query<{ job_id: number }>(
      `insert into ops.projection_job (projection, action, state, holder, leased_until)
       values ('partner', 'rebuild', 'running', gen_random_uuid(), now() - interval '1 second') returning job_id`,
    );
    await page.goto(`/console/read-models/jobs/${rows[0]?.job_id ?? ''}`);
    await page.getByText('The process that ran the job has ended or hangs. Nothing is half swapped. Start the job again.').waitFor();
    await press('partner', 'Verify');
    await page.getByText('No row differs from the log.').waitFor();
  });
});
