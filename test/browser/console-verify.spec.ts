import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { canonicalize } from 'json-canonicalize';
import { createHash } from 'node:crypto';
import { type Browser, type Page } from 'playwright-core';
import { startApplication } from '../support/application.js';
import { describeInBrowser, launchBrowser, signedIn } from '../support/browser.js';
import { makeCheckpoint, ownProof, type Proof } from '../support/checkpoints.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';

describeInBrowser('an auditor’s browser', () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let partner: TestPartner;
  let lines: readonly string[];
  let head: string;

  beforeAll(async () => {
    service = await startApplication();
    partner = await makePartner(service);
    for (const number of [1, 2, 3])
      await admin(service, 'POST', `/partners/${partner.partner_id}/wallet/credits`, {
        amount: 100 * number,
        reference: `transfer-${number}`,
      });
    const path = `/admin/v1/partners/${partner.partner_id}/wallet/export`;
    const text = await (await fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${service.auditorToken}` } })).text();
    lines = text.trimEnd().split('\n');
    const { revision, hash } = JSON.parse(lines.at(-1) ?? '') as { revision: number; hash: string };
    head = `${revision}:${hash}`;
    browser = await launchBrowser();
    ({ page } = await signedIn(browser, service, service.auditorToken));
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  beforeEach(async () => {
    await page.unrouteAll();
    await page.goto(`/console/verify?partner=${partner.partner_id}`);
  });

  const verdict = async (tone: 'good' | 'bad'): Promise<string> => {
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    return (await page.locator(`[data-verify-result].${tone}`).textContent()) ?? '';
  };

  /** Lets the service send other lines than those of the wallet. */
  const tamper = async (changed: readonly string[]): Promise<void> => {
    await page.route('**/export', (route) => route.fulfill({ body: `${changed.join('\n')}\n`, contentType: 'application/x-ndjson' }));
  };

  it('finds that a wallet holds, and shows its head', async () => {
    expect(await verdict('good')).toBe(`${lines.length} entries hold. The head is ${head}. Note it for the next time.`);
  });

  it('finds a noted head in the chain, and misses one that is not there', async () => {
    await page.getByLabel('Heads that were noted earlier').fill(head);
    expect(await verdict('good')).toContain(head);
    await page.getByLabel('Heads that were noted earlier').fill(`1:${'0'.repeat(64)}`);
    expect(await verdict('bad')).toContain('is not in the chain');
    await page.getByLabel('Heads that were noted earlier').fill('yesterday’s');
    expect(await verdict('bad')).toContain('A head is REVISION:HASH');
  });

  it('ends a check that still runs when it is asked for another one, so that only the result of the last one is shown', async () => {
    await page.route('**/export', () => undefined);
    const begun = page.waitForEvent('worker');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    const ended = (await begun).waitForEvent('close');
    await page.getByLabel('Heads that were noted earlier').fill('yesterday’s');
    expect(await verdict('bad')).toContain('A head is REVISION:HASH');
    await ended;
  });

  it('names the entry whose amount the service has changed', async () => {
    await tamper(lines.map((line, index) => (index === 2 ? line.replace('"amount_kobo":20000', '"amount_kobo":20001') : line)));
    expect(await verdict('bad')).toMatch(/^Revision 2 does not fit: its content has the hash .+The 2 entries before it hold\.$/);
  });

  it('names the place where an entry was removed', async () => {
    await tamper(lines.filter((_, index) => index !== 1));
    expect(await verdict('bad')).toMatch(/^Revision 1 does not fit: its revision is 2/);
  });

  it('finds the end cut off only with a head that was noted', async () => {
    await tamper(lines.slice(0, -1));
    expect(await verdict('good')).toContain(`${lines.length - 1} entries hold.`);
    await page.getByLabel('Heads that were noted earlier').fill(head);
    expect(await verdict('bad')).toContain('is not in the chain');
  });

  it('says that the session has ended, and does not call the page of the sign-in a broken chain', async () => {
    await page.context().clearCookies();
    expect(await verdict('bad')).toBe('The session has ended. Sign in again, and then verify the wallet.');
    ({ page } = await signedIn(browser, service, service.auditorToken));
  });

  it('checks a file that the auditor has, without asking the service', async () => {
    await page.route('**/export', (route) => route.abort());
    const file = (text: string): { name: string; mimeType: string; buffer: Buffer } => ({
      name: 'wallet.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(text),
    });
    await page.getByLabel('Or the file of an export').setInputFiles(file(`${lines.join('\n')}\n`));
    expect(await verdict('good')).toContain(head);
    await page.getByLabel('Or the file of an export').setInputFiles(file(lines.join('\n').slice(0, -20)));
    expect(await verdict('bad')).toMatch(new RegExp(`^Revision ${lines.length - 1} does not fit: it is not JSON`));
  });

  describe('against a checkpoint', () => {
    let proof: Proof;
    let key: string;

    beforeAll(async () => {
      await makeCheckpoint(service);
      proof = await ownProof(partner);
      key = (await (await fetch(`${service.url}/.well-known/rupa-checkpoint-key`)).text()).trim();
    });

    const paste = async (note: string, keys = key): Promise<void> => {
      await page.getByLabel('Signed note of the checkpoint').fill(note);
      await page.getByLabel('Verifier keys').fill(keys);
    };

    const sendProof = async (changed: object): Promise<void> => {
      const file = { name: 'proof.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(changed)) };
      await page.getByLabel('File with the proof').setInputFiles(file);
    };

    const covers = () =>
      `The checkpoint of the first ${proof.tree_size} events of ${proof.note.split('\n')[0] ?? ''} is signed by ${key}, and covers the entry ${head}.`;

    it('finds that a checkpoint holds, and warns that a key or a note of the same service proves less', async () => {
      await paste(proof.note);
      await sendProof({ data: proof });
      expect(await verdict('good')).toBe(`${lines.length} entries hold. The head is ${head}. Note it for the next time.${covers()}`);
      await paste(proof.note, '');
      expect(await verdict('good')).toContain(`${covers()}The key came from this service. That proves less`);
      await paste('');
      expect(await verdict('good')).toContain(`${covers()}The note came with the proof.`);
    });

    it('names the entry of a wallet that was rewritten after the checkpoint', async () => {
      const { revision, hash } = JSON.parse(lines.at(-1) ?? '') as { revision: number; hash: string };
      await paste(proof.note);
      await sendProof(proof);
      await tamper(lines.slice(0, -1));
      const shorter = await verdict('bad');
      expect(shorter).toContain(`The head ${revision}:${hash} that the checkpoint covers is not in the chain`);
      expect(shorter).toContain(`the export ends at revision ${revision - 1}`);
      await tamper(rewritten(lines));
      expect(await verdict('bad')).toContain(`is not in the chain: revision ${revision} has the hash`);
      await page.goto(`/console/verify?partner=${partner.partner_id}`);
      expect(await verdict('good')).toContain(`${lines.length} entries hold.`);
    });

    it('refuses a note with another root, and one by an unknown key', async () => {
      await sendProof(proof);
      await paste(proof.note.replace(/\n\S{43}=\n/, `\n${Buffer.alloc(32).toString('base64')}\n`));
      expect(await verdict('bad')).toMatch(/^The signature of \S+ does not hold: .+ The wallet’s entries were not checked\.$/);
      await paste(proof.note, 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
      expect(await verdict('bad')).toMatch(/^The key is unknown: the note is signed by /);
    });

    it('refuses a proof of another entry, one that leads to another root, and one of another wallet', async () => {
      await paste(proof.note);
      await sendProof({ ...proof, entry: { ...proof.entry, revision: proof.entry.revision + 1 } });
      expect(await verdict('bad')).toMatch(/^The leaf does not belong to the entry/);
      await sendProof({ ...proof, leaf: proof.leaf.replace('Credited', 'Debited') });
      expect(await verdict('bad')).toMatch(/^The leaf of the entry \S+ leads to the root \S+, and the note has the root /);
      await sendProof(proof);
      await page.getByLabel('Partner', { exact: true }).fill('nobody');
      expect(await verdict('bad')).toContain(`The proof is of the wallet of ${partner.partner_id}, and not of nobody.`);
    });

    it('asks for the proof that a pasted note needs', async () => {
      await paste(proof.note);
      expect(await verdict('bad')).toMatch(/^Choose the file with the proof/);
    });
  });
});

/** Changes the last amount, and computes the hash again as somebody with access to the log could. */
function rewritten(lines: readonly string[]): string[] {
  const last = JSON.parse(lines.at(-1) ?? '') as { stream: string; revision: number; type: string; data: object; prev_hash: string };
  const data = { ...last.data, amount_kobo: 1 };
  const text = [last.prev_hash, last.stream, last.revision, last.type, canonicalize(data)].join('\n');
  return [...lines.slice(0, -1), JSON.stringify({ ...last, data, hash: createHash('sha256').update(text).digest('hex') })];
}
