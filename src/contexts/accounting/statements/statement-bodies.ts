import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Body, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { type PartnerStatement } from './get-statement.query.js';
import { statementCsv } from './statement-csv.js';
import { STATEMENT_PAGE_HEADERS, statementPage } from './statement-page.js';
import { type StatementView } from './statement-responses.dto.js';
import { statementView } from './statement-view.js';
import { type StatementFormat } from './statements.dto.js';

/** Makes the body of a response from a statement, which is disposed of when it was sent. */
@Injectable()
export class StatementBodies {
  constructor(private readonly bodies: LargeBodies) {}

  async body(reply: FastifyReply, found: PartnerStatement, format: StatementFormat): Promise<Body> {
    switch (format) {
      case 'json':
        return await this.bodies.json<StatementView>(reply, found, statementView(found));
      case 'csv': {
        const body = await this.bodies.text(reply, found, statementCsv(found));
        reply
          .headers({
            'Content-Disposition': `attachment; filename="statement-${found.partner_id}-${found.month.name}.csv"`,
            'Cache-Control': 'no-store',
          })
          .type('text/csv; charset=utf-8');
        return body;
      }
      case 'html': {
        const body = await this.bodies.text(reply, found, statementPage(found));
        reply.headers(STATEMENT_PAGE_HEADERS).type('text/html; charset=utf-8');
        return body;
      }
    }
  }
}
