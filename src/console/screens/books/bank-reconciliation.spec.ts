import { describe, expect, it } from '@jest/globals';
import { Form } from '../../form.js';
import { bankInputOf, fileOf } from './bank-reconciliation.js';

const sent = (csv: string): Form =>
  new Form(new URLSearchParams({ mode: 'sandbox', reference: 'Ref', amount: 'Credit', date: 'Day', csv }).toString());

describe('a bank’s payments that are pasted into the form', () => {
  it('are read by the names of the columns', () => {
    const file = fileOf(bankInputOf(sent('Day,Ref,Credit\r\n2026-03-01,TRF-1,"50,000.00"\r\n2026-03-02,FEE,\r\n')));
    expect(file).toStrictEqual({
      payments: [{ line: 2, reference: 'TRF-1', amount_kobo: 50_000_00, date: '2026-03-01' }],
      skipped: 1,
      date_order: null,
    });
  });

  it.each([
    ['a text without these columns', 'Date,Ref\n2026-03-01,TRF-1', 'No line among the first 30 has each of the columns'],
    ['a text without a payment', 'Day,Ref,Credit\n2026-03-01,FEE,', 'There is no payment in the column "Credit".'],
  ])('are refused with a sentence for %s', (_text, csv, sentence) => {
    expect(fileOf(bankInputOf(sent(csv)))).toContain(sentence);
  });
});
