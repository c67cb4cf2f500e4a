import { beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyReply } from 'fastify';
import { type LargeBodies } from '../../../http/limiting/large-bodies.js';
import { type ClosedMonth } from '../domain/statements/statement-manifest.js';
import { monthOf } from '../domain/month.js';
import { type PartnerOfRun, type StatementRun } from './get-statement-run.query.js';
import { type StatementFile, type StatementFiles } from './statement-files.js';
import { StatementZips, zipOf, type ZippedFile } from './statement-zips.js';
import fc from 'fast-check';
import { unzipSync } from 'fflate';

const ZERO = { opening_balance: 0, closing_balance: 0, net: 0, vat: 0, gross: 0 };
const closed: ClosedMonth = {
  ...{ mode: 'live', period: '2026-03', accounts: [], entries: 0, index: 7, prefix: 'RUPA' },
  ...{ issuer: { name: null, address: null, tax_id: null }, recorded_at: '2026-04-01T08:00:00.000Z', actor: 'admin' },
};
const month = monthOf('2026-03');
if (!month) throw new Error('2026-03 is a month.');
const partners = [1001, 1002, 1003].map((customer_number) => ({ partner_id: `p-${customer_number}`, customer_number }));
const run: StatementRun = { month, closed, partners };

/** A response whose body the client has begun to take. */
interface Begun {
  readonly source: AsyncDisposable;
  readonly pieces: AsyncIterator<Buffer>;
}

describe('the ZIP of a month’s statements', () => {
  let begun: Begun[];
  let made: number[];
  let zips: StatementZips;

  beforeEach(() => {
    [begun, made] = [[], []];
    const bytes = (_reply: FastifyReply, source: AsyncDisposable, pieces: AsyncIterable<Buffer>): Promise<string> => {
      begun.push({ source, pieces: pieces[Symbol.asyncIterator]() });
      return Promise.resolve('body');
    };
    const of = (_run: StatementRun, { partner_id, customer_number }: PartnerOfRun): Promise<StatementFile | undefined> => {
      made.push(customer_number);
      // The second partner was registered after the close.
      if (customer_number === 1002) return Promise.resolve(undefined);
      const named = { statement_number: '', partner_id, customer_number, company_name: '', file: `${customer_number}.csv` };
      return Promise.resolve({ listed: { ...named, bytes: 5, sha256: '', ...ZERO }, bytes: Buffer.from('bytes') });
    };
    zips = new StatementZips({ bytes } as unknown as LargeBodies, { of } as unknown as StatementFiles);
  });

  const body = async (): Promise<unknown> => {
    const reply = { headers: () => reply, type: () => reply } as unknown as FastifyReply;
    return await zips.body(reply, run, 'csv');
  };

  it('is sent to one client at a time, also while that client takes nothing', async () => {
    expect(await body()).toBe('body');
    await expect(body()).rejects.toMatchObject({ code: 'unavailable' });
    await begun[0]?.source[Symbol.asyncDispose]();
    expect(await body()).toBe('body');
    await begun[0]?.source[Symbol.asyncDispose]();
    await expect(body()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('has each statement made once the one before was taken, and leaves out a partner that has none', async () => {
    await body();
    const pieces = begun[0]?.pieces;
    expect(made).toStrictEqual([]);
    await pieces?.next();
    expect(made).toStrictEqual([1001]);
    const rest: Buffer[] = [];
    for (let piece = await pieces?.next(); piece && !piece.done; piece = await pieces?.next()) rest.push(piece.value);
    expect(made).toStrictEqual([1001, 1002, 1003]);
    expect(Buffer.concat(rest).toString()).toMatch(/1003\.csv[^]*"totals": \{\s+"count": 2,/);
  });
});

const AT = '2026-04-01T00:12:30.000Z';

async function* inTurn(files: readonly ZippedFile[], onTaken: () => void = () => undefined): AsyncGenerator<ZippedFile> {
  for (const file of files) {
    onTaken();
    yield await Promise.resolve(file);
  }
}

async function zipped(files: readonly ZippedFile[], at = AT): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(zipOf(inTurn(files), at)));
}

describe('a ZIP', () => {
  it('has the files under their names, whatever their content', async () => {
    const content = fc.uint8Array({ maxLength: 100_000 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 5 }), async (contents) => {
        const files = contents.map((bytes, index) => ({ name: `Ọ̀ṣun ${index}.pdf`, bytes }));
        const found = Object.entries(unzipSync(await zipped(files))).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) }));
        expect(found).toStrictEqual(files);
      }),
      { numRuns: 20 },
    );
  });

  it('has the same bytes for the same files and time', async () => {
    const files = [{ name: 'a', bytes: Buffer.from('one') }];
    expect(await zipped(files)).toStrictEqual(await zipped(files));
    expect(await zipped(files)).not.toStrictEqual(await zipped(files, '2026-04-02T00:12:30.000Z'));
  });

  it('takes a file only once the one before was taken', async () => {
    let taken = 0;
    const files = ['a', 'b', 'c'].map((name) => ({ name, bytes: Buffer.alloc(1024 * 1024) }));
    const zip = zipOf(
      inTurn(files, () => (taken += 1)),
      AT,
    );
    await zip.next();
    expect(taken).toBe(1);
    let bytes = 0;
    for await (const piece of zip) {
      bytes += piece.length;
      expect(bytes).toBeGreaterThan((taken - 1) * 1024 * 1024 - 1024);
    }
    expect(taken).toBe(3);
  });

  it('writes its times as UTC, wherever it is made', async () => {
    // The DOS time of the first local header: two seconds, minutes, hours.
    expect((await zipped([{ name: 'a', bytes: Buffer.alloc(0) }])).readUInt16LE(10)).toBe((0 << 11) | (12 << 5) | 15);
  });
});
