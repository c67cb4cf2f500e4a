import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Manifest, type RunHead } from '../../contexts/accounting/domain/statements/statement-manifest.js';
import { type StatementFile } from '../../contexts/accounting/statement-runs/statement-files.js';
import { StatementFolder } from './statement-folder.js';

const HEAD: RunHead = { period: '2026-03', mode: 'live', closed_at: '2026-04-01T08:00:00.000Z', index: 7, format: 'csv' };
const ZERO = { opening_balance: 0, closing_balance: 0, net: 0, vat: 0, gross: 0 };

function fileOf(customer_number: number, text = `statement of ${customer_number}`): StatementFile {
  const [bytes, statement_number] = [Buffer.from(text), `RUPA-202603-${customer_number}`];
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const of = {
    statement_number,
    partner_id: `p-${customer_number}`,
    customer_number,
    company_name: 'Bank',
    file: `${statement_number}.csv`,
  };
  return { listed: { ...of, bytes: bytes.length, sha256, ...ZERO }, bytes };
}

const [one, other] = [fileOf(1001), fileOf(1002)];
const MANIFEST: Manifest = { ...HEAD, statements: [one.listed, other.listed], totals: { count: 2, bytes: 34, ...ZERO } };

describe('a folder of statements', () => {
  let path: string;
  beforeEach(() => {
    path = join(mkdtempSync(join(tmpdir(), 'statements-')), 'out');
  });
  afterEach(() => {
    rmSync(join(path, '..'), { recursive: true });
  });

  const open = async (head = HEAD): Promise<StatementFolder> => await StatementFolder.open(path, head);
  const keeps = async (...files: readonly StatementFile[]): Promise<readonly boolean[]> => {
    const folder = await open();
    return await Promise.all(files.map(async ({ listed }) => (await folder.kept(listed.file)) !== undefined));
  };
  const finished = async (): Promise<void> => {
    const folder = await open();
    for (const file of [one, other]) await folder.write(file);
    await folder.finish(MANIFEST);
  };

  it('has the files and the manifest at the end, and nothing else', async () => {
    await finished();
    expect(readdirSync(path).sort()).toStrictEqual([one.listed.file, other.listed.file, 'manifest.json']);
    expect(JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'))).toStrictEqual(MANIFEST);
  });

  it('keeps what a run wrote that was killed, also in the middle of a line', async () => {
    await (await open()).write(one);
    appendFileSync(join(path, 'manifest.json.part'), JSON.stringify(other.listed).slice(0, 40));
    writeFileSync(join(path, `${other.listed.file}.4711.tmp`), 'stat');
    expect(await keeps(one, other)).toStrictEqual([true, false]);
    const folder = await open();
    expect(await folder.kept(one.listed.file)).toStrictEqual(one.listed);
    await folder.write(other);
    expect(await keeps(one, other)).toStrictEqual([true, true]);
    await folder.finish(MANIFEST);
    expect(readdirSync(path).sort()).toStrictEqual([one.listed.file, other.listed.file, 'manifest.json']);
  });

  it('keeps what an earlier run finished, except for files that were damaged or removed', async () => {
    await finished();
    expect(await keeps(one, other)).toStrictEqual([true, true]);
    writeFileSync(join(path, one.listed.file), 'something else');
    rmSync(join(path, other.listed.file));
    expect(await keeps(one, other)).toStrictEqual([false, false]);
  });

  it('does not keep a file that no list has, and leaves foreign files alone', async () => {
    const folder = await open();
    writeFileSync(join(path, one.listed.file), one.bytes);
    writeFileSync(join(path, 'notes.txt'), 'mine');
    writeFileSync(join(path, 'notes.txt.1.tmp'), 'mine');
    expect(await keeps(one)).toStrictEqual([false]);
    for (const file of [one, other]) await folder.write(file);
    await folder.finish(MANIFEST);
    expect(readdirSync(path)).toHaveLength(5);
    expect(readFileSync(join(path, 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('is not used for the statements of another month, close or format, nor beside another manifest', async () => {
    const sentence = (file: string) =>
      new RegExp(`${file} does not belong to the \\w+ statements of [\\d-]+ \\(\\w+\\)\\. Name another folder with --out`);
    await (await open()).write(one);
    await expect(open({ ...HEAD, format: 'pdf' })).rejects.toThrow(sentence('manifest.json.part'));
    await finished();
    for (const head of [
      { ...HEAD, period: '2026-02' },
      { ...HEAD, closed_at: '2026-04-02T08:00:00.000Z' },
      { ...HEAD, mode: 'sandbox' as const },
    ])
      await expect(open(head)).rejects.toThrow(sentence('manifest.json'));
    for (const text of ['{"name": "my package"}', 'no JSON', '[]']) {
      writeFileSync(join(path, 'manifest.json'), text);
      await expect(open()).rejects.toThrow(sentence('manifest.json'));
      expect(readFileSync(join(path, 'manifest.json'), 'utf8')).toBe(text);
    }
    expect(existsSync(join(path, 'manifest.json.part'))).toBe(false);
  });

  it('does not trust lines whose amounts are none', async () => {
    const folder = await open();
    await folder.write({ ...one, listed: { ...one.listed, closing_balance: 0.001 } });
    expect(await keeps(one)).toStrictEqual([false]);
  });

  it('says what to do if it cannot be written', async () => {
    writeFileSync(path, 'a file');
    await expect(open()).rejects.toThrow(`${path} cannot be written: a part of its path is not a folder. Name another folder with --out.`);
    path = join(path, 'below');
    await expect(open()).rejects.toThrow(`${path} cannot be written: a part of its path is not a folder. Name another folder with --out.`);
    path = join(path, '..');
  });
});
