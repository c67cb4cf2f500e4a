import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { createHash } from 'node:crypto';
import { type Paper } from '../../../http/pages/paper.js';
import { paperPage } from '../../../http/pages/paper-page.js';
import { jsonText } from '../../../http/validating/json-text.js';
import { toNaira } from '../../../kernel/money.js';
import { type Month, StatementRejection } from '../domain/month.js';
import { statementNumber } from '../domain/statements/statement.js';
import { sumOf } from '../domain/statements/statement-lines.js';
import { type ListedStatement } from '../domain/statements/statement-manifest.js';
import { GetStatement, type HeldStatement } from '../statements/get-statement.query.js';
import { statementCsv } from '../statements/statement-csv.js';
import { statementPaper } from '../statements/statement-paper.js';
import { statementView } from '../statements/statement-view.js';
import { type PartnerStatement } from '../statements/statements.js';
import { type StatementFormat } from '../statements/statements.dto.js';
import { type PartnerOfRun, type StatementRun } from './get-statement-run.query.js';

/** A statement's file, and how the manifest lists it. */
export interface StatementFile {
  readonly listed: ListedStatement;
  readonly bytes: Buffer;
}

/** Makes the bytes of a document to print. */
export type MakePdf = (paper: Paper) => Promise<Buffer>;

/** Makes the files of a closed month's statements (finance, "Statements and invoices"). */
@Injectable()
export class StatementFiles {
  constructor(private readonly queries: QueryBus) {}

  /**
   * Makes a file, whose bytes are the same whenever it is made. Once it is returned, it holds no connection of the pool. Undefined for a
   * partner that was registered after the close, by a clock that was behind.
   */
  async of(run: StatementRun, partner: PartnerOfRun, format: StatementFormat, pdf: MakePdf): Promise<StatementFile | undefined> {
    await using found = await this.statement(partner, run.month);
    if (!found) return undefined;
    const bytes = await bytesOf(found, format, pdf);
    return { listed: listed(numberOf(run, partner), found, format, bytes), bytes };
  }

  private async statement({ partner_id }: PartnerOfRun, month: Month): Promise<HeldStatement | undefined> {
    try {
      return await this.queries.execute(new GetStatement(partner_id, month));
    } catch (error) {
      if (error instanceof StatementRejection) return undefined;
      throw error;
    }
  }
}

function numberOf({ month, closed }: StatementRun, { customer_number }: PartnerOfRun): string {
  return statementNumber(closed.prefix, month, customer_number);
}

/** Returns the name of the file of a partner's statement. */
export function fileNameOf(run: StatementRun, partner: PartnerOfRun, format: StatementFormat): string {
  return `${numberOf(run, partner)}.${format}`;
}

function listed(statement_number: string, found: PartnerStatement, format: StatementFormat, bytes: Buffer): ListedStatement {
  const { partner_id, customer, vat } = found;
  return {
    statement_number,
    partner_id,
    customer_number: customer.number,
    company_name: customer.company_name,
    file: `${statement_number}.${format}`,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    opening_balance: toNaira(found.opening_balance_kobo),
    closing_balance: toNaira(found.closing_balance_kobo),
    net: toNaira(sumOf(vat, 'net_kobo')),
    vat: toNaira(sumOf(vat, 'vat_kobo')),
    gross: toNaira(sumOf(vat, 'gross_kobo')),
  };
}

async function bytesOf(found: PartnerStatement, format: StatementFormat, pdf: MakePdf): Promise<Buffer> {
  switch (format) {
    case 'pdf':
      return await pdf(statementPaper(found));
    case 'html':
      return await encoded(paperPage(statementPaper(found)));
    case 'csv':
      return await encoded(statementCsv(found));
    case 'json':
      return await encoded(jsonText(statementView(found)), '\n');
  }
}

async function encoded(pieces: AsyncIterable<string>, end = ''): Promise<Buffer> {
  return Buffer.from((await Array.fromAsync(pieces)).join('') + end);
}
