import { describe, expect, it } from '@jest/globals';
import { textOf } from '../../../../test/support/unit/pdf-text.js';
import { paperPage } from '../../../http/pages/paper-page.js';
import { paperPdf } from '../../../http/pages/pdf/paper-pdf.js';
import { mapped } from '../../../platform/mapped.js';
import { type CreditLine, type RefundLine } from '../domain/statement.js';
import { type PartnerStatement } from './get-statement.query.js';
import { statementPaper } from './statement-paper.js';

const CREDIT: CreditLine = {
  revision: 1,
  recorded_at: '2026-03-02T09:05:00.000Z',
  amount_kobo: 5_000_000,
  reason: 'Ìdókòwò & co',
  kind: 'payment',
  reference: 'transfer-2',
  credit_reference: null,
};
const REFUND: RefundLine = {
  revision: 4,
  recorded_at: '2026-03-09T14:31:00.000Z',
  amount_kobo: 11_000,
  reason: null,
  lookup_id: 'lookup-1',
  rupa_id: 'rp-1',
};

const each = <Line>(...lines: readonly Line[]): AsyncGenerator<Line> => mapped(lines, (line) => line);

const found = (given: Partial<PartnerStatement> = {}): PartnerStatement => ({
  statement_number: 'p-1-2026-03-0002',
  made_at: '2026-04-02T08:00:00.000Z',
  as_of_index: 40_817,
  issuer: { name: 'Rupa Ltd', address: null, tax_id: '12345678-0001' },
  partner_id: 'p-1',
  company_name: 'Ọ̀ṣun <Àgbẹ̀> Cooperative',
  account_type: 'bank',
  mode: 'live',
  month: { name: '2026-03', from: '2026-03-01T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z' },
  complete: true,
  opening_head: { revision: 0, hash: 'a'.repeat(64) },
  closing_head: { revision: 4, hash: 'b'.repeat(64) },
  opening_balance_kobo: 0,
  lookups: 1,
  sections: [{ section: 'identity', count: 2, amount_kobo: 10_000 }],
  pass_through: [{ provider: 'bvn', count: 1, amount_kobo: 6_000 }],
  totals_kobo: { credits: 5_000_000, sections: 10_000, pass_through: 6_000, refunds: 11_000 },
  closing_balance_kobo: 4_995_000,
  credits: each(CREDIT),
  refunds: each(REFUND),
  [Symbol.asyncDispose]: () => Promise.resolve(),
  ...given,
});

const html = async (given?: Partial<PartnerStatement>): Promise<string> =>
  (await Array.fromAsync(paperPage(statementPaper(found(given))))).join('');
const pdf = async (given?: Partial<PartnerStatement>): Promise<string> =>
  (await textOf(Buffer.concat(await Array.fromAsync(paperPdf(statementPaper(found(given))))))).join(' ');

/** Returns the texts that a page shows. */
const shown = (page: string): string[] =>
  page
    .slice(page.indexOf('<main>'))
    .replaceAll(/<caption>.*?<\/caption>/g, '')
    .split(/<[^>]*>|\s/)
    .map((text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').normalize('NFC'))
    .filter((text) => text !== '');

describe('a statement on paper', () => {
  it('says the same as a page and as PDF', async () => {
    const text = (await pdf()).replaceAll(' ', '');
    const texts = shown(await html());
    expect(texts).toEqual(expect.arrayContaining(['Ọ̀ṣun', '<Àgbẹ̀>', '50,000.00', '−100.00', 'lookup-1', 'a'.repeat(64), '49,950.00']));
    expect(texts.filter((each) => !text.includes(each))).toStrictEqual([]);
  });

  it('is marked as play money in the sandbox, and as preliminary before its month is closed', async () => {
    for (const read of [html, pdf]) {
      expect(await read()).not.toMatch(/Sandbox|preliminary/);
      const marked = await read({ mode: 'sandbox', complete: false });
      expect(marked).toContain('Sandbox: this is play money.');
      expect(marked).toContain('The month is not closed yet, so this statement is preliminary.');
      expect(marked).toContain('Balance so far');
    }
  });
});
