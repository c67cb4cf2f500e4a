import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Body, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { pageHeaders } from '../../../http/pages/page.js';
import { paperPage } from '../../../http/pages/paper-page.js';
import { paperPdf } from '../../../http/pages/pdf/paper-pdf.js';
import { PRINT_STYLE } from '../../../http/pages/print-style.js';
import { type HeldStatement } from './get-statement.query.js';
import { statementCsv } from './statement-csv.js';
import { statementPaper } from './statement-paper.js';
import { type StatementView } from './statement-responses.dto.js';
import { statementView } from './statement-view.js';
import { type StatementFormat } from './statements.dto.js';

const PAGE_HEADERS = pageHeaders(PRINT_STYLE);

/** Makes the body of a response from a statement, which is disposed of when it was sent. */
@Injectable()
export class StatementBodies {
  constructor(private readonly bodies: LargeBodies) {}

  async body(reply: FastifyReply, found: HeldStatement, format: StatementFormat): Promise<Body> {
    switch (format) {
      case 'json':
        return await this.bodies.json<StatementView>(reply, found, statementView(found));
      case 'csv': {
        const body = await this.bodies.text(reply, found, statementCsv(found));
        reply.headers(downloadHeaders(found, 'csv')).type('text/csv; charset=utf-8');
        return body;
      }
      case 'html': {
        const body = await this.bodies.text(reply, found, paperPage(statementPaper(found)));
        reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8');
        return body;
      }
      case 'pdf': {
        const body = await this.bodies.bytes(reply, found, paperPdf(statementPaper(found)));
        reply.headers(downloadHeaders(found, 'pdf')).type('application/pdf');
        return body;
      }
    }
  }
}

function downloadHeaders({ partner_id, month }: HeldStatement, extension: 'csv' | 'pdf'): Readonly<Record<string, string>> {
  return {
    'Content-Disposition': `attachment; filename="statement-${partner_id}-${month.name}.${extension}"`,
    'Cache-Control': 'no-store',
  };
}
