import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type Browser, type Page } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { auditOf } from '../support/audit-programs.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { evidenceOfEverything, SIGNER } from '../support/evidence-events.js';
import { edited, type EvidenceLine, fileText, rebuilt, signedNote } from '../support/evidence-history.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const KEPT = 31;

describeInBrowser('the whole log in an auditor’s browser', () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];
  let lines: readonly EvidenceLine[];

  beforeAll(async () => {
    ({ lines } = await evidenceOfEverything());
    service = await startApplication();
    browser = await launchBrowser();
    ({ page, complaints } = await signedIn(browser, service, service.auditorToken));
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  beforeEach(async () => {
    await page.unrouteAll();
    await page.goto('/console/verify/evidence');
    // Playwright's waitForFunction would poll with eval, which the page's Content Security Policy forbids.
    await until(async () => (await page.getByLabel('Verifier keys').inputValue()) !== '');
  });

  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const choose = async (text: string, notes: readonly string[] = []): Promise<void> => {
    await page.getByLabel('Evidence file').setInputFiles(file('evidence.jsonl', text));
    await page
      .getByLabel('Files with checkpoints that you kept')
      .setInputFiles(notes.map((note, index) => file(`note-0-${index}.txt`, note)));
    await page.getByLabel('Verifier keys').fill(SIGNER.verifierKey);
  };
  const verdict = async (tone: 'good' | 'bad'): Promise<string> => {
    await page.getByRole('button', { name: 'Verify the log' }).click();
    return (await page.locator(`[data-audit-result].${tone}`).locator('visible=true').textContent()) ?? '';
  };
  const summary = async (): Promise<string> => `${(await page.locator('[data-audit-summary] pre').textContent()) ?? ''}\n`;
  const noteOf = (size: number): string => signedNote(lines.slice(0, size), SIGNER);

  it('holds, with the summary of the programs', async () => {
    const notes = [noteOf(KEPT), noteOf(lines.length)];
    await choose(fileText(lines), notes);
    expect(await verdict('good')).toBe(`Everything holds, of ${lines.length} events.`);
    expect(await summary()).toBe(auditOf(lines, notes).out);
    await page.getByLabel('Or paste these checkpoints').fill(`${notes.join('\n')}\n`);
    await verdict('good');
    expect(await summary()).toContain(`Checkpoint pasted note 2 of ${lines.length} events: holds`);
  });

  it('has the trial balance of a day or a month, as the programs have it', async () => {
    const window = page.getByLabel('Trial balance up to, or of a month');
    for (const [text, option] of [
      ['2026-03-01', '--at=2026-03-01'],
      ['2026-03-01T08:00:30.000Z', '--at=2026-03-01T08:00:30.000Z'],
      ['2026-03', '--month=2026-03'],
    ] as const) {
      await choose(fileText(lines));
      await window.fill(text);
      await verdict('good');
      expect(await summary()).toBe(auditOf(lines, [], undefined, [option]).out);
    }
    await window.fill('March');
    expect(await verdict('bad')).toMatch(/^The trial balance is up to a day or a time such as/);
  });

  it('does not hold from the event on that was changed, by the rule that the programs name', async () => {
    const at = lines.findIndex(({ data }) => data.includes('"reference":"last"'));
    const changed = lines.map((line, index) => (index === at ? edited(line, { data: { amount_kobo: 2_00 } }) : line));
    for (const falsified of [changed, rebuilt(changed), lines.slice(0, -2), fileText(lines).slice(0, -20)]) {
      const found = auditOf(falsified, [noteOf(lines.length)]);
      await choose(typeof falsified === 'string' ? falsified : fileText(falsified), [noteOf(lines.length)]);
      expect(await verdict('bad')).toBe(found.last);
      expect(await summary()).toBe(found.out);
    }
  });

  it('does not hold for a checkpoint that another key signed', async () => {
    await choose(fileText(lines.slice(0, 5)), [noteOf(3).replace(/— (\S+) (.*)AA/, '— $1 $2AB')]);
    await page.getByLabel('Verifier keys').fill('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
    expect(await verdict('bad')).toBe('event 0: signature: note-0-0.txt: none of the keys signed the checkpoint of 3 events');
  });

  it('is checked without sending anything to the service, by the file of docs/audit', async () => {
    const sent: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      sent.push(`${request.method()} ${pathname}${search} ${request.postData() ?? ''}`.trim());
    });
    await choose(fileText(lines));
    await verdict('good');
    // Every page asks every ten seconds whether the service is well.
    const isOfEveryPage = (each: string): boolean => each.startsWith('GET /console/assets/') || each === 'GET /console/notices';
    expect(sent.filter((each) => !isOfEveryPage(each))).toStrictEqual([]);
    expect(await (await page.request.get('/console/assets/audit.mjs')).text()).toBe(readFileSync('docs/audit/audit.mjs', 'utf8'));
    expect(complaints).toStrictEqual([]);
  });

  it('says which field is missing or wrong', async () => {
    expect(await verdict('bad')).toBe('Choose the evidence file.');
    await choose(fileText(lines), ['no note']);
    expect(await verdict('bad')).toBe('note-0-0.txt is no checkpoint of a log.');
    await page.getByLabel('Verifier keys').fill('none');
    expect(await verdict('bad')).toBe('The keys must be verifier keys, one in each line.');
  });

  it('warns that keys of the same service prove less, and that a checkpoint is missing', async () => {
    const published = await (await fetch(`${service.url}/.well-known/rupa-checkpoint-key`)).text();
    await choose('');
    await page.getByLabel('Verifier keys').fill(published);
    expect(await verdict('good')).toMatch(/^Everything holds, of 0 events\.The keys are those that this service publishes.*Keep one/);
  });

  it('can be cancelled and checked again with the keyboard alone', async () => {
    await choose(fileText(lines));
    // The worker waits for its module, as it waits for the rest of a large file.
    await page.route('**/audit-worker.js', () => undefined);
    await page.getByLabel('Trial balance up to, or of a month').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('progressbar').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The check was cancelled.').waitFor();
    await page.unrouteAll();
    await page.keyboard.press('Enter');
    await page.getByText('Everything holds, of').waitFor();
  });
});
