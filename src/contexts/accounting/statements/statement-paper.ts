import { type Column, type Paper, type PaperTable, type Row } from '../../../http/pages/paper.js';
import { formatNaira } from '../../../kernel/money.js';
import { mapped } from '../../../platform/mapped.js';
import { type Head, type PartnerStatement } from './get-statement.query.js';
import { asOfLabel, closingBalanceLabel, creditLabel, daysOf, issuerLabel, monthName } from './statement-labels.js';

const TIME: Column = { head: 'Time (UTC)', kind: 'time' };
const COUNT: Column = { head: 'Count', kind: 'number' };
const NGN: Column = { head: 'NGN', kind: 'number' };
const SANDBOX = 'Sandbox: this is play money.';

/** Returns a statement as a document to print. Its tables are to be read once, in their order. */
export function statementPaper(found: PartnerStatement): Paper {
  const { statement_number, made_at, as_of_index, issuer, partner_id, company_name, mode, complete, month, lookups } = found;
  const issued = issuerLabel(issuer);
  const sandbox = mode === 'sandbox' ? [SANDBOX] : [];
  return {
    title: `Wallet statement ${month.name}: ${company_name}`,
    author: issuer.name,
    madeAt: made_at,
    heading: `Wallet statement, ${monthName(month)}`,
    whose: company_name,
    facts: [
      [`Partner ${partner_id}`],
      ['Statement ', { code: statement_number }, ', made ', { time: made_at }, ` (UTC)${asOfLabel(as_of_index)}`],
      ...(issued === '' ? [] : [[issued]]),
      [`${daysOf(month)} (UTC), amounts in naira (NGN)`],
    ],
    notes: [...(complete ? [] : ['The month is not closed yet, so this statement is preliminary.']), ...sandbox],
    parts: [
      summary(found),
      `${lookups} lookup${lookups === 1 ? ' was' : 's were'} charged. Failed lookups are included, and their charges are listed under refunds.`,
      ...details(found),
      heads(found),
    ],
    foot: [`Statement ${statement_number}`, ...sandbox].join('. '),
  };
}

function summary(found: PartnerStatement): PaperTable {
  const { opening_balance_kobo, totals_kobo, closing_balance_kobo } = found;
  const row = (name: string, kobo: number): Row => ({ cells: [name, naira(kobo)] });
  return {
    title: 'Summary',
    form: 'short',
    columns: [{ head: 'Movement' }, NGN],
    rows: [
      { ...row('Opening balance', opening_balance_kobo), isBalance: true },
      row('Credits', totals_kobo.credits),
      row('Lookups', -totals_kobo.sections),
      row('Pass-through fees', -totals_kobo.pass_through),
      row('Refunds', totals_kobo.refunds),
      { ...row(closingBalanceLabel(found), closing_balance_kobo), isBalance: true },
    ],
  };
}

function details({ credits, sections, pass_through, refunds, totals_kobo }: PartnerStatement): PaperTable[] {
  return [
    {
      title: 'Credits',
      form: 'movements',
      columns: [TIME, { head: 'Reference' }, { head: 'Kind and reason' }, NGN],
      rows: mapped(credits, (line) => received(line.reference, creditLabel(line), line)),
      total: naira(totals_kobo.credits),
    },
    {
      title: 'Lookups by section',
      form: 'short',
      columns: [{ head: 'Section' }, COUNT, NGN],
      rows: sections.map((line) => charged(line.section, line)),
      total: naira(-totals_kobo.sections),
    },
    {
      title: 'Pass-through fees by provider',
      form: 'short',
      columns: [{ head: 'Provider' }, COUNT, NGN],
      rows: pass_through.map((line) => charged(line.provider, line)),
      total: naira(-totals_kobo.pass_through),
    },
    {
      title: 'Refunds',
      form: 'movements',
      columns: [TIME, { head: 'Lookup' }, { head: 'Reason' }, NGN],
      rows: mapped(refunds, (line) => received(line.lookup_id, line.reason ?? '–', line)),
      total: naira(totals_kobo.refunds),
    },
  ];
}

function charged(name: string, { count, amount_kobo }: { readonly count: number; readonly amount_kobo: number }): Row {
  return { cells: [name, String(count), naira(-amount_kobo)] };
}

function received(
  of: string,
  why: string,
  { recorded_at, amount_kobo }: { readonly recorded_at: string; readonly amount_kobo: number },
): Row {
  return { cells: [recorded_at, of, why, naira(amount_kobo)] };
}

/** Shows the wallet's heads, by which the statement can be compared with an export of the wallet. */
function heads({ opening_head, closing_head }: PartnerStatement): PaperTable {
  const row = (name: string, { revision, hash }: Head): Row => ({ cells: [name, String(revision), hash] });
  return {
    title: 'Wallet at opening and closing',
    form: 'short',
    intro: 'An export of the wallet has these hashes at these revisions.',
    columns: [{ head: 'At' }, { head: 'Revision', kind: 'number' }, { head: 'Hash', kind: 'code' }],
    rows: [row('Opening', opening_head), row('Closing', closing_head)],
  };
}

/** Formats an amount with a minus sign (U+2212) instead of a hyphen. */
function naira(kobo: number): string {
  return formatNaira(kobo).replace('-', '−');
}
