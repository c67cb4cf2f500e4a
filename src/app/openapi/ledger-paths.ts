import { MODES } from '../../kernel/modes.js';
import { money, partner } from './admin-paths.js';
import { feesExample } from './examples.js';
import { statementCsvExample, statementExample, trialBalanceExample } from './ledger-examples.js';
import { adminOperation, type Paths, pathParameter } from './operation.js';
import { amount, count, flag, list, nullable, oneOf, ref, type Schema, shape, text, time } from './schema.js';

const receipt = { revision: count, recorded_at: time(), amount: amount('NGN.'), reason: nullable(text()) };
const items = (item: Schema): Schema => shape({ total: amount('NGN.'), items: list(item) });
const charged = { count: { ...count, description: 'How often it was charged.' }, amount: amount('NGN.') };

/** What answers about money over time are made of. */
export const ledgerSchemas: Readonly<Record<string, Schema>> = {
  TrialBalance: shape({
    at: text('The last day, in UTC, that is counted, whole.', { format: 'date' }),
    accounts: list(
      shape({
        account: text(
          '`cash_received` (asset), `partner_prepaid:<partner id>` (liability), `lookup_revenue:<section>` (income), `passthrough_payable:<provider>` (liability), `refunds` (income, contra).',
        ),
        debit: amount('NGN.'),
        credit: amount('NGN.'),
        balance: { ...money, description: 'NGN: debits less credits, above 0 for assets and below for liabilities and income.' },
      }),
    ),
    total_debit: amount('NGN.'),
    total_credit: amount('NGN.'),
    difference: { ...money, description: 'NGN: debits less credits over all accounts; anything but 0 is a fault.' },
    balanced: flag,
  }),
  Statement: shape({
    partner_id: text(),
    company_name: text(),
    mode: oneOf(MODES),
    month: text(),
    from: time('Its first moment.'),
    until: time('The first moment after it.'),
    complete: { ...flag, description: 'False while the month goes on.' },
    currency: oneOf(['NGN']),
    opening_balance: amount('NGN.'),
    credits: items(shape({ ...receipt, reference: text() })),
    lookups: shape({
      total: amount('NGN.'),
      count: { ...count, description: 'Look-ups that were charged, refunded ones too.' },
      sections: list(shape({ section: text(), ...charged })),
    }),
    pass_through: shape({ total: amount('NGN.'), providers: list(shape({ provider: text(), ...charged })) }),
    refunds: items(shape({ ...receipt, lookup_id: text(), rupa_id: text() })),
    closing_balance: amount('NGN: the opening balance and credits and refunds, less look-ups and pass-through fees.'),
  }),
  PublishedPriceBook: shape({
    version: { type: 'integer' },
    published_at: { ...nullable(time()), description: 'Null for the built-in first.' },
    actor: { ...nullable(text()), description: 'Null for the built-in first.' },
    fees: { type: 'object', additionalProperties: amount('NGN.') },
  }),
};

export const ledgerPaths: Paths = {
  '/admin/v1/ledger/trial-balance': {
    get: adminOperation({
      id: 'getTrialBalance',
      tag: 'Ledger',
      summary: 'Every account’s debits, credits and balance, in double entry',
      description:
        'Every movement of every wallet is posted to two accounts or more, its debits equal to its credits. The whole therefore sums to zero; `balanced` says so, and `difference` by how much it does not.',
      parameters: [
        {
          name: 'at',
          in: 'query',
          description: 'ISO 8601 date or timestamp: everything up to the end of that day (UTC) counts, the day included. Default: today.',
          schema: { type: 'string' },
          example: '2026-03-31',
        },
      ],
      answer: { data: ref('TrialBalance'), example: trialBalanceExample },
      errors: ['ValidationError'],
    }),
  },
  '/admin/v1/partners/{id}/wallet/statements/{month}': {
    get: adminOperation({
      id: 'getStatement',
      tag: 'Wallets',
      summary: 'A month of a wallet: what it opened with, what came and went, what it closed with',
      parameters: [
        partner,
        { ...pathParameter('month', text(undefined, { pattern: '^\\d{4}-\\d{2}$' }), 'The month, in UTC.'), example: '2026-03' },
        {
          name: 'format',
          in: 'query',
          description: 'CSV for spreadsheets, or a page to print.',
          schema: { ...oneOf(['json', 'csv', 'html']), default: 'json' },
          example: 'json',
        },
      ],
      answer: {
        data: ref('Statement'),
        example: statementExample,
        also: [
          { type: 'text/csv', example: statementCsvExample },
          { type: 'text/html', example: '<!doctype html>…' },
        ],
      },
      errors: ['PartnerNotFound', 'ValidationError'],
    }),
  },
  '/admin/v1/price-book/history': {
    get: adminOperation({
      id: 'getPriceBookHistory',
      tag: 'Prices',
      summary: 'Every version of the price book, the built-in first',
      answer: {
        data: shape({ versions: list(ref('PublishedPriceBook')) }),
        example: {
          versions: [
            { version: 1, published_at: null, actor: null, fees: feesExample },
            { version: 2, published_at: '2026-03-01T08:00:00.000Z', actor: 'admin', fees: { ...feesExample, 'svc_fee.identity': 60 } },
          ],
        },
      },
      errors: [],
    }),
  },
};
