import { describe, expect, it } from '@jest/globals';
import { textOf } from '../../../../test/support/unit/pdf-text.js';
import { paperPage } from '../../../http/pages/paper-page.js';
import { paperPdf } from '../../../http/pages/pdf/paper-pdf.js';
import { mapped } from '../../../platform/mapped.js';
import { type CreditLine, type RefundLine } from '../domain/statements/statement.js';
import { statementLines, vatTotals } from '../domain/statements/statement-lines.js';
import { statementPaper } from './statement-paper.js';
import { type PartnerStatement } from './statements.js';

const CREDIT: CreditLine = {
  revision: 1,
  recorded_at: '2026-03-02T09:05:00.000Z',
  amount_kobo: 5_000_000,
  reason: 'Ìdókòwò & co',
  kind: 'payment',
  reference: 'transfer-2',
  credit_reference: null,
  bank_fee_kobo: 5_375,
  withheld_tax_kobo: 100_000,
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

const lines = statementLines([
  {
    isCharge: true,
    amount_kobo: -11_000,
    breakdown_kobo: { 'svc_fee.identity': 5_000, 'passthrough.bvn': 6_000 },
    vat_percent: 7.5,
    count: 2,
  },
  {
    isCharge: false,
    amount_kobo: 11_000,
    breakdown_kobo: { 'svc_fee.identity': 5_000, 'passthrough.bvn': 6_000 },
    vat_percent: 7.5,
    count: 1,
  },
]);

const LEGAL = {
  name: 'Ọ̀ṣun Àgbẹ̀ Cooperative Plc',
  address: '1 Iwo Road, Osogbo',
  tax_id: '87654321-0001',
  registration_number: 'RC 7',
  email: 'accounts@osun.example',
};

const found = (given: Partial<PartnerStatement> = {}): PartnerStatement => ({
  statement_number: 'RUPA-202603-1001',
  status: 'closed',
  is_tax_invoice: true,
  made_at: '2026-04-02T08:00:00.000Z',
  as_of_index: 40_817,
  issuer: { name: 'Rupa Ltd', address: null, tax_id: '12345678-0001' },
  partner_id: 'p-1',
  customer: { number: 1001, company_name: 'Ọ̀ṣun <Àgbẹ̀> Cooperative', legal: LEGAL },
  account_type: 'bank',
  mode: 'live',
  month: { name: '2026-03', from: '2026-03-01T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z' },
  opening_head: { revision: 0, hash: 'a'.repeat(64) },
  closing_head: { revision: 4, hash: 'b'.repeat(64) },
  opening_balance_kobo: 0,
  lookups: 2,
  lines,
  vat: vatTotals(lines),
  sections: [{ section: 'identity', count: 2, amount_kobo: 10_000 }],
  pass_through: [{ provider: 'bvn', count: 2, amount_kobo: 12_000 }],
  totals_kobo: { credits: 5_000_000, sections: 10_000, pass_through: 12_000, refunds: 11_000, lines: 11_000 },
  closing_balance_kobo: 4_989_000,
  credits: each(CREDIT),
  refunds: each(REFUND),
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
    expect(texts).toEqual(
      expect.arrayContaining(['Ọ̀ṣun', '<Àgbẹ̀>', '50,000.00', '−3.49', '1,000.00', 'lookup-1', 'a'.repeat(64), '49,890.00']),
    );
    expect(texts.filter((each) => !text.includes(each))).toStrictEqual([]);
  });

  it('has its number, the close, the issuer and the customer, and is headed as what it is', async () => {
    for (const read of [html, pdf]) {
      const text = (await read()).replaceAll(/<[^>]*>/g, '').normalize('NFC');
      for (const part of [
        'Tax invoice, March 2026',
        'Number RUPA-202603-1001, made 2026-04-02 08:00 (UTC), as of event 40817 of the log',
        'Customer 1001, Ọ̀ṣun Àgbẹ̀ Cooperative Plc, 1 Iwo Road, Osogbo',
        'Tax id 87654321-0001, registration number RC 7, accounts@osun.example',
        'Issued by Rupa Ltd, tax id 12345678-0001',
        '1 to 31 March 2026 (UTC), closed;',
      ])
        expect(text.replaceAll(/\s/g, '')).toContain(part.normalize('NFC').replaceAll(' ', ''));
      expect(await read({ is_tax_invoice: false })).toContain('Statement, March 2026');
    }
  });

  it('is marked as play money in the sandbox, and as preliminary and without a number before its month is closed', async () => {
    for (const read of [html, pdf]) {
      expect(await read()).not.toMatch(/Sandbox|preliminary/);
      const marked = await read({ mode: 'sandbox', status: 'open', statement_number: null });
      expect(marked).toContain('Sandbox: this is play money.');
      expect(marked).toContain('The month is not closed, so this statement is preliminary and has no number.');
      expect(marked).toContain('Balance so far');
      expect(marked).toContain('Without a number');
    }
  });
});
