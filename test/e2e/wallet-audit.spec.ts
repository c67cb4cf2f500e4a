import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedApplication } from '../support/application.js';
import { admin, call, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type Ended, run, rupa } from '../support/rupa.js';
import { openLog, type ServiceLog } from '../support/service-log.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Verification {
  readonly ok: boolean;
  readonly entries: number;
  readonly head: { readonly revision: number; readonly hash: string } | null;
  readonly open_charges: number;
  readonly fault: { readonly revision: number; readonly rule: string; readonly message: string } | null;
}

/** What other programs are likeliest to write otherwise. */
const ODD_REFERENCE = 'a "b" \\ / é 漢 💧 \u0001\u0007\u007f\u0085\u2028\u2029 <&>';

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

async function verification(partner = bank, query = ''): Promise<Verification> {
  return (await admin(service, 'GET', `/partners/${partner.partner_id}/wallet/verification${query}`)).body.data as unknown as Verification;
}

async function notedHead(): Promise<string> {
  const { head } = await verification();
  return `${head?.revision ?? ''}:${head?.hash ?? ''}`;
}

describe('a wallet’s verification', () => {
  it('holds for what the service wrote, and tells the head', async () => {
    const entries = await entriesOf(service, bank);
    const last = entries.at(-1);
    expect(await verification()).toStrictEqual({
      ok: true,
      entries: entries.length,
      head: { revision: last?.revision, hash: last?.hash },
      open_charges: 0,
      fault: null,
    });
    const empty = await makePartner(service, { credit: 0 });
    expect(await verification(empty)).toStrictEqual({ ok: true, entries: 0, head: null, open_charges: 0, fault: null });
  });

  it('counts a charge that was just made as open', async () => {
    const other = await makePartner(service);
    await other.lookup('rp-audit-1');
    expect(await verification(other)).toMatchObject({ ok: true, open_charges: 1, fault: null });
  });

  it('finds a head that was noted earlier, or its lack', async () => {
    const [first] = await entriesOf(service, bank);
    expect(await verification(bank, `?since=0:${first?.hash ?? ''}`)).toMatchObject({ ok: true });
    expect(await verification(bank, `?since=0:${'0'.repeat(64)}`)).toMatchObject({
      ok: false,
      entries: 0,
      head: null,
      fault: { revision: 0, rule: 'since' },
    });
    expect(await verification(bank, `?since=999:${'0'.repeat(64)}`)).toMatchObject({
      ok: false,
      fault: { revision: 999, rule: 'since', message: expect.stringContaining('is gone') },
    });
  });

  it.each(['', '17', `17:${'z'.repeat(64)}`, `-1:${'0'.repeat(64)}`])('refuses the noted head %j', async (since) => {
    const answer = await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification?since=${since}`);
    expect(answer).toMatchObject({
      status: 422,
      body: { data: { errors: { since: ['The since field must be REVISION:HASH, as a verification answered it.'] } } },
    });
  });

  it('is for administrators and auditors', async () => {
    const path = `/admin/v1/partners/${bank.partner_id}/wallet/verification`;
    expect((await call(service, 'GET', path, { headers: { Authorization: `Bearer ${service.auditorToken}` } })).status).toBe(200);
    expect((await call(service, 'GET', path)).status).toBe(401);
    expect((await admin(service, 'GET', '/partners/nobody/wallet/verification')).status).toBe(404);
  });
});

/** The fenced block of a language in docs/audit.md. */
function checker(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\`$`, 'm').exec(readFileSync('docs/audit.md', 'utf8')) ?? [];
  if (code === undefined) throw new Error(`docs/audit.md has no checker in ${language}.`);
  return code;
}

describe.each([
  ['Python', 'python', 'check.py', 'python3'],
  ['Node', 'js', 'check.mjs', process.execPath],
])('the checker in %s that docs/audit.md gives', (_name, language, file, program) => {
  let lines: string[];
  let noted: string;
  let missing: boolean;

  beforeAll(async () => {
    writeFileSync(join(service.dataDir, file), checker(language));
    lines = (await rupa(service, ['wallet', 'export', bank.partner_id, '-'])).out.split('\n').slice(0, -1);
    noted = await notedHead();
    missing = await run(program, ['--version']).then(
      () => false,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
  });

  /** Where the program is not installed, that alone is asserted: its absence must be the only reason. */
  async function check(
    changed: readonly string[],
    expected: Pick<Ended, 'code'> & Partial<Record<'out' | 'err', unknown>>,
    ...heads: string[]
  ): Promise<void> {
    const path = join(service.dataDir, `${file}.jsonl`);
    writeFileSync(path, changed.map((line) => `${line}\n`).join(''));
    const checked = run(program, [join(service.dataDir, file), path, ...heads]);
    if (missing) await expect(checked).rejects.toMatchObject({ code: 'ENOENT' });
    else expect(await checked).toMatchObject(expected);
  }

  const broken = (line: number) => ({ code: 1, err: expect.stringContaining(`The chain is broken at line ${line}.`) });

  it('agrees with an export, and tells its head', async () => {
    expect(lines.length).toBeGreaterThan(6);
    await check(lines, { code: 0, out: `${lines.length} entries hold; the head is ${noted}\n` }, noted);
  });

  it.each<[string, number, (lines: readonly string[]) => string[]]>([
    ['a changed amount', 3, (all) => all.with(2, all[2]?.replace(/"amount_kobo":\d+/, '"amount_kobo":1') ?? '')],
    ['a dropped line', 3, (all) => all.toSpliced(2, 1)],
    ['a missing beginning', 1, (all) => all.slice(1)],
    ['two lines swapped', 2, (all) => all.with(1, all[2] ?? '').with(2, all[1] ?? '')],
    ['a line twice', 3, (all) => all.toSpliced(2, 0, all[1] ?? '')],
  ])('finds %s in line %i', async (_what, line, change) => {
    await check(change(lines), broken(line));
  });

  it('finds a forged line at the end', async () => {
    const last = JSON.parse(lines.at(-1) ?? '') as { revision: number; metadata: { hash: string } };
    const forged = {
      ...last,
      revision: last.revision + 1,
      metadata: { ...last.metadata, prev_hash: last.metadata.hash, hash: 'f'.repeat(64) },
    };
    await check([...lines, JSON.stringify(forged)], broken(lines.length + 1));
  });

  it('finds by a noted head alone that the end was cut off', async () => {
    await check(lines.slice(0, -1), { code: 0 });
    await check(lines.slice(0, -1), { code: 1, err: expect.stringContaining('not in the chain') }, noted);
  });
});

describe('a log that somebody wrote into', () => {
  let log: ServiceLog;
  let robbed: TestPartner;

  beforeAll(async () => {
    log = await openLog(service);
    robbed = await makePartner(service, { credit: 5 });
  });
  afterAll(() => log.eventStore.close());

  it('is told by its first fault, over HTTP and from the command line', async () => {
    const stream = `wallet-${robbed.partner_id}`;
    const first = await log.eventStore.lastEvent(stream);
    if (!first) throw new Error('The wallet is empty.');
    const data = { ...first.data, reference: 'forged', amount_kobo: 1_000_000, balance_after_kobo: 1_000_500 };
    const metadata = { ...first.metadata, prev_hash: first.metadata.hash ?? '', hash: 'f'.repeat(64) };
    await log.eventStore.append(stream, [{ id: randomUUID(), type: 'WalletCredited', data, metadata }], 0n);
    const fault = { revision: 1, rule: 'hash', message: expect.stringMatching(/^Its content hashes to/) };
    expect(await verification(robbed)).toMatchObject({ ok: false, entries: 1, head: { revision: 0, hash: first.metadata.hash }, fault });
    expect(await rupa(service, ['wallet', 'verify', robbed.partner_id])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Test \(\S+\): FAULT at revision 1 \(hash\): Its content/),
    });
    const all = await rupa(service, ['wallet', 'verify', '--json']);
    expect(all.code).toBe(1);
    expect(
      (JSON.parse(all.out) as { partner_id: string; ok: boolean }[]).filter(({ ok }) => !ok).map(({ partner_id }) => partner_id),
    ).toStrictEqual([robbed.partner_id]);
  });
});
