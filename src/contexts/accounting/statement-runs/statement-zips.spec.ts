import { beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyReply } from 'fastify';
import { type LargeBodies } from '../../../http/limiting/large-bodies.js';
import { type ClosedMonth } from '../domain/statements/statement-manifest.js';
import { monthOf } from '../domain/month.js';
import { type PartnerOfRun, type StatementRun } from './get-statement-run.query.js';
import { type StatementFile, type StatementFiles } from './statement-files.js';
import { StatementZips } from './statement-zips.js';

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
