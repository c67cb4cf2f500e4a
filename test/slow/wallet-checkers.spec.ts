import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sharedApplication } from '../support/application.js';
import { programOfAuditPage } from '../support/audit-page.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type ProcessResult, run, rupa } from '../support/rupa.js';
import { openLog, type ServiceLog } from '../support/service-log.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';
import { ODD_REFERENCE, type Verification, verificationOf } from '../support/wallet-verification.js';

let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  service = await sharedApplication();
  for (const farmer of ['rp-audit-1', 'rp-audit-2']) await admin(service, 'PUT', `/farmers/${farmer}`, {});
  bank = await makePartner(service);
  await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 12.34, reference: ODD_REFERENCE });
  for (const farmer of ['rp-audit-1', 'rp-audit-2', 'rp-audit-1'])
    expect((await bank.lookup(farmer, { source: 'Kredit für 漢' })).status).toBe(200);
  await until(async () => (await verification()).open_charges === 0);
});

const verification = (partner = bank, query = ''): Promise<Verification> => verificationOf(service, partner, query);

async function notedHead(): Promise<string> {
  const { head } = await verification();
  return `${head?.revision ?? ''}:${head?.hash ?? ''}`;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

describe.each([
  ['Python', 'python', 'check.py', 'python3'],
  ['Node', 'js', 'check.mjs', process.execPath],
])('the %s checker in docs/audit.md', (name, language, file, program) => {
  let lines: string[];
  let noted: string;
  let missing: boolean;

  beforeAll(async () => {
    writeFileSync(join(service.dataDir, file), programOfAuditPage(`Checking the chain in ${name}`, language));
    lines = (await rupa(service, ['wallet', 'export', bank.partner_id, '-'])).out.split('\n').slice(0, -1);
    noted = await notedHead();
    missing = await run(program, ['--version']).then(() => false, isMissing);
  });

  /** Runs the checker. Where its program is not installed, only that error is accepted. */
  async function check(
    changed: readonly string[],
    expected: Pick<ProcessResult, 'code'> & Partial<Record<'out' | 'err', unknown>>,
    ...heads: string[]
  ): Promise<void> {
    const path = join(service.dataDir, `${file}.jsonl`);
    writeFileSync(path, changed.map((line) => `${line}\n`).join(''));
    const checked = run(program, [join(service.dataDir, file), path, ...heads]);
    if (missing) await expect(checked).rejects.toMatchObject({ code: 'ENOENT' });
    else expect(await checked).toMatchObject(expected);
  }

  const broken = (line: number) => ({ code: 1, err: expect.stringContaining(`The chain is broken at line ${line}.`) });

  it('accepts an export and prints its head', async () => {
    expect(lines.length).toBeGreaterThan(6);
    await check(lines, { code: 0, out: `${lines.length} entries hold; the head is ${noted}\n` }, noted);
  });

  it.each<[string, number, (lines: readonly string[]) => string[]]>([
    ['a changed amount', 3, (all) => all.with(2, all[2]?.replace(/"amount_kobo":\d+/, '"amount_kobo":1') ?? '')],
    ['a dropped line', 3, (all) => all.toSpliced(2, 1)],
    ['a missing beginning', 1, (all) => all.slice(1)],
    ['two swapped lines', 2, (all) => all.with(1, all[2] ?? '').with(2, all[1] ?? '')],
    ['a duplicated line', 3, (all) => all.toSpliced(2, 0, all[1] ?? '')],
  ])('finds %s in line %i', async (_what, line, change) => {
    await check(change(lines), broken(line));
  });

  it('passes over an event that an operator skipped, and over no entry', async () => {
    const third = JSON.parse(lines[2] ?? '{}') as object;
    const note = JSON.stringify({ ...third, type: 'OperatorNote', data: 'x', hash: undefined, skipped: true });
    await check([...lines.slice(0, 2), note], { code: 0, out: expect.stringContaining('Revision 2 is no entry: an operator skipped it.') });
    await check(lines.with(2, JSON.stringify({ ...third, skipped: true })), broken(4));
  });

  it('finds a forged line at the end', async () => {
    const last = JSON.parse(lines.at(-1) ?? '') as { revision: number; hash: string };
    const forged = { ...last, revision: last.revision + 1, prev_hash: last.hash, hash: 'f'.repeat(64) };
    await check([...lines, JSON.stringify(forged)], broken(lines.length + 1));
  });

  it('detects a truncated end only by a head that was noted earlier', async () => {
    await check(lines.slice(0, -1), { code: 0 });
    await check(lines.slice(0, -1), { code: 1, err: expect.stringContaining('not in the chain') }, noted);
  });
});

describe('the checker in docs/partners/wallet.md', () => {
  const code = (): string => {
    const [, found] = /^```python\n([\s\S]+?)^```$/m.exec(readFileSync('docs/partners/wallet.md', 'utf8')) ?? [];
    if (found === undefined) throw new Error('docs/partners/wallet.md has no checker.');
    return found;
  };

  it('accepts the wallet over HTTP, and finds a changed amount, a shortened export and a head that is not in it', async () => {
    const path = join(service.dataDir, 'check-wallet.py');
    writeFileSync(path, code());
    if (await run('python3', ['--version']).then(() => false, isMissing)) return;
    const check = (base: string, ...heads: string[]): Promise<ProcessResult> =>
      run('python3', [path, ...heads], { RUPA_URL: base, RUPA_API_KEY: bank.key });
    const { entries } = await verification();
    expect(await check(service.url, await notedHead())).toMatchObject({
      code: 0,
      out: `${entries} entries hold; note the head ${await notedHead()}\n`,
    });
    expect(await check(service.url, `0:${'f'.repeat(64)}`)).toMatchObject({ code: 1, err: expect.stringContaining('Not in the chain') });

    let tamper: (text: string) => string = (text) => text.replace(/"amount_kobo":\d+/, '"amount_kobo":1');
    const proxy = createServer((request, response) => {
      void (async () => {
        const original = await fetch(`${service.url}${request.url ?? ''}`, { headers: { 'X-API-KEY': bank.key } });
        const text = await original.text();
        response.end(request.url?.endsWith('export') ? tamper(text) : text);
      })();
    }).listen(0, '127.0.0.1');
    try {
      await once(proxy, 'listening');
      const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      expect(await check(base)).toMatchObject({ code: 1, err: expect.stringContaining('The chain is broken at revision 0.') });
      tamper = (text) => text.split('\n').slice(0, -2).join('\n');
      expect(await check(base)).toMatchObject({ code: 1, err: expect.stringContaining('Not in the chain') });
    } finally {
      proxy.close();
    }
  });
});

describe('a log with a forged entry', () => {
  let log: ServiceLog;
  let forgedWallet: TestPartner;

  beforeAll(async () => {
    log = await openLog(service);
    forgedWallet = await makePartner(service, { credit: 5 });
  });
  afterAll(() => log.eventStore.close());

  it('is reported with its first fault, over HTTP and on the command line', async () => {
    const stream = `wallet-${forgedWallet.partner_id}`;
    const first = await log.eventStore.lastEvent(stream);
    if (!first) throw new Error('The wallet is empty.');
    const data = { ...first.data, reference: 'forged', amount_kobo: 1_000_000, balance_after_kobo: 1_000_500 };
    const metadata = { ...first.metadata, hash: 'f'.repeat(64) };
    await log.eventStore.append(stream, [{ id: randomUUID(), type: 'WalletCredited', data, metadata }], 0n);
    const fault = { revision: 1, rule: 'hash', message: expect.stringMatching(/^Its content hashes to/) };
    expect(await verification(forgedWallet)).toMatchObject({
      ok: false,
      entries: 1,
      head: { revision: 0, hash: first.metadata.hash },
      fault,
    });
    expect(await rupa(service, ['wallet', 'verify', forgedWallet.partner_id])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Test \(\S+\): FAULT at revision 1 \(hash\): Its content/),
    });
    const all = await rupa(service, ['wallet', 'verify', '--json']);
    expect(all.code).toBe(1);
    expect(
      (JSON.parse(all.out) as { partner_id: string; ok: boolean }[]).filter(({ ok }) => !ok).map(({ partner_id }) => partner_id),
    ).toStrictEqual([forgedWallet.partner_id]);
  });
});
