import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Manifest } from '../../src/contexts/accounting/domain/statements/statement-manifest.js';
import { startApplication } from '../support/application.js';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { pastOf } from '../support/february.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { givenPast } from '../support/wallet-past.js';

const STATEMENTS = '/admin/v1/ledger/periods/2026-02/statements';
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Zip {
  readonly status: number;
  readonly type: string | null;
  readonly disposition: string | null;
  readonly bytes: Buffer;
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly manifest: Manifest;
}

/** A month is closed for all partners, so this spec runs an application of its own. */
describe('the statements of a closed month', () => {
  let service: TestService;
  let first: TestPartner;
  let second: TestPartner;
  const books: { opening: number; closing: number } = { opening: 0, closing: 0 };

  beforeAll(async () => {
    service = await startApplication();
    first = await makePartner(service, { company_name: 'Ọ̀ṣun Bank', credit: 0 });
    second = await makePartner(service, { company_name: 'شركة المزارعين', credit: 0 });
    await makePartner(service, { company_name: 'Later' });
    await makePartner(service, { company_name: 'Play', mode: 'sandbox' });
    for (const [index, { partner_id }] of [first, second].entries())
      await givenPast(service, pastOf(partner_id, [`a${index}`, `b${index}`]));
    expect((await close('2026-01')).status).toBe(201);
  });
  afterAll(() => service.stop());

  const close = async (month: string) => await admin(service, 'POST', `/ledger/periods/${month}/close`, {});
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  const zipOf = async (query = '', token = service.auditorToken): Promise<Zip> => {
    const response = await whenServed(() => fetch(`${service.url}${STATEMENTS}${query}`, bearer(token)));
    const bytes = Buffer.from(await response.arrayBuffer());
    const files = unzipSync(bytes);
    const manifest = JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString()) as Manifest;
    const { headers, status } = response;
    return { status, type: headers.get('content-type'), disposition: headers.get('content-disposition'), bytes, files, manifest };
  };
  const single = async ({ partner_id }: TestPartner, format: string): Promise<Buffer> => {
    const url = `${service.url}/admin/v1/partners/${partner_id}/wallet/statements/2026-02?format=${format}`;
    const response = await whenServed(() => fetch(url, bearer(service.adminToken)));
    return Buffer.from(await response.arrayBuffer());
  };

  it('are not there before it is closed, nor of months that the books do not have', async () => {
    expect(await admin(service, 'GET', '/ledger/periods/2026-02/statements')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    for (const month of ['2025-12', '2199-12'])
      expect(await admin(service, 'GET', `/ledger/periods/${month}/statements`)).toMatchObject({
        status: 404,
        body: { code: 'period_not_found' },
      });
    const command = await rupa(service, ['wallet', 'statements', '2026-02', '--out', join(tmpdir(), 'never')]);
    expect(command).toMatchObject({ code: 1, out: '', err: expect.stringContaining('rupa ledger close') });
  });

  it('are refused for a wrong month, mode or format, and to partners', async () => {
    for (const path of ['2026-13/statements', '2026-02/statements?mode=test', '2026-02/statements?format=docx'])
      expect((await admin(service, 'GET', `/ledger/periods/${path}`)).status).toBe(422);
    expect((await call(service, 'GET', STATEMENTS, { headers: { 'X-API-KEY': first.key } })).status).toBe(401);
  });

  it('are a ZIP with a file for each partner by customer number, and a manifest', async () => {
    const closed = (await close('2026-02')).body.data as unknown as { accounts: { account: string; opening: number; closing: number }[] };
    Object.assign(
      books,
      closed.accounts.find(({ account }) => account === 'partner_balances'),
    );
    const { status, type, disposition, files, manifest } = await zipOf('?format=csv');
    expect([status, type, disposition]).toStrictEqual([200, 'application/zip', 'attachment; filename="statements-live-2026-02-csv.zip"']);
    const numbers = manifest.statements.map(({ customer_number }) => customer_number);
    expect(Object.keys(files)).toStrictEqual([...numbers.map((number) => `RUPA-202602-${number}.csv`), 'manifest.json']);
    expect(numbers).toStrictEqual(numbers.toSorted());
    expect(manifest).toMatchObject({ period: '2026-02', mode: 'live', format: 'csv', index: expect.any(Number), totals: { count: 2 } });
    expect(manifest.statements).toMatchObject([
      {
        partner_id: first.partner_id,
        company_name: 'Ọ̀ṣun Bank',
        opening_balance: 1000,
        closing_balance: 805,
        net: 220,
        vat: 0,
        gross: 220,
      },
      { partner_id: second.partner_id, company_name: 'شركة المزارعين', opening_balance: 1000, closing_balance: 805 },
    ]);
  });

  it.each(['json', 'csv', 'html', 'pdf'])('have the sizes and hashes that the manifest lists, as %s', async (format) => {
    const { files, manifest } = await zipOf(`?format=${format}`, service.adminToken);
    for (const { file, bytes, sha256 } of manifest.statements) {
      const found = files[file] ?? new Uint8Array();
      expect([file, found.length, hashOf(found)]).toStrictEqual([file, bytes, sha256]);
    }
    const [own] = manifest.statements;
    const alone = await single(first, format);
    // The JSON of a single statement stands in an envelope.
    const expected = format === 'json' ? Buffer.from(`${alone.toString().slice('{"success":true,"data":'.length, -1)}\n`) : alone;
    expect(hashOf(expected)).toBe(own?.sha256);
  });

  it('sum to what the partners have in the closed books', async () => {
    const { totals, statements } = (await zipOf()).manifest;
    expect([totals.opening_balance, totals.closing_balance]).toStrictEqual([-books.opening, -books.closing]);
    const credits = statements.reduce(
      (sum, { opening_balance, closing_balance, gross }) => sum + closing_balance - opening_balance + gross,
      0,
    );
    expect(credits).toBe(50);
  });

  it('have the same bytes whenever they are sent, also after a later change of the wallet and of the partner', async () => {
    const before = (await zipOf('?format=pdf')).bytes;
    await admin(service, 'POST', `/partners/${first.partner_id}/wallet/credits`, { amount: 5, reference: 'later' });
    await admin(service, 'PATCH', `/partners/${first.partner_id}`, { company_name: 'Renamed' });
    expect(hashOf((await zipOf('?format=pdf')).bytes)).toBe(hashOf(before));
  });

  it('of a month without partners are an empty manifest', async () => {
    await admin(service, 'POST', '/ledger/entries', {
      ...{ mode: 'sandbox', kind: 'bank_charge', amount: 1, date: '2026-02-01', reason: 'fees', reference: 'fees' },
    });
    await admin(service, 'POST', '/ledger/periods/2026-02/close', { mode: 'sandbox' });
    const { files, manifest } = await zipOf('?mode=sandbox');
    expect(Object.keys(files)).toStrictEqual(['manifest.json']);
    expect(manifest.totals).toStrictEqual({ count: 0, bytes: 0, opening_balance: 0, closing_balance: 0, net: 0, vat: 0, gross: 0 });
  });

  it('are a download of the console, for auditors too', async () => {
    const auditor = new ConsoleVisitor(service);
    await auditor.signIn(service.auditorToken);
    const page = await (await auditor.get('/console/books/statements?format=csv')).text();
    const [, path = ''] = /href="(\/console\/books\/statements\/2026-02[^"]*)"/.exec(page) ?? [];
    const response = await auditor.get(path.replaceAll('&amp;', '&'));
    expect(hashOf(Buffer.from(await response.arrayBuffer()))).toBe(hashOf((await zipOf('?format=csv')).bytes));
    const open = await auditor.get('/console/books/statements/2026-03');
    expect([open.status, await open.text()]).toStrictEqual([409, expect.stringContaining('The month is open')]);
  });

  describe('in a folder', () => {
    let folder: string;
    beforeAll(() => {
      folder = join(mkdtempSync(join(tmpdir(), 'statements-')), 'february');
    });
    afterAll(() => {
      rmSync(join(folder, '..'), { recursive: true });
    });

    const write = async (...args: string[]) => await rupa(service, ['wallet', 'statements', '2026-02', '--out', folder, ...args]);
    const written = () => Object.fromEntries(readdirSync(folder).map((name) => [name, hashOf(readFileSync(join(folder, name)))]));

    it('are the same files, with the progress on standard error', async () => {
      const { files } = await zipOf('?format=pdf');
      const { code, out, err } = await write();
      expect([code, out]).toStrictEqual([0, `2 statements of 2026-02 (live) are in ${folder}: 2 were written, 0 kept.\n`]);
      expect(err).toMatch(/Statements: 2 of 2 \(\d+\/s\)\n$/);
      expect(written()).toStrictEqual(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, hashOf(bytes)])));
    });

    it('are kept if their hashes are right, and made again otherwise', async () => {
      const before = written();
      const [damaged = ''] = readdirSync(folder);
      writeFileSync(join(folder, damaged), 'damaged');
      expect((await write()).out).toContain('1 were written, 1 kept');
      expect(written()).toStrictEqual(before);
    });

    it('are not mixed with those of another format', async () => {
      const before = written();
      const { code, err } = await write('--format', 'csv');
      expect([code, err]).toStrictEqual([
        1,
        `${folder}/manifest.json does not belong to the csv statements of 2026-02 (live). Name another folder with --out, or remove the file.\n`,
      ]);
      expect(written()).toStrictEqual(before);
    });
  });
});
