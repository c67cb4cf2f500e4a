import { type RejectionResponses } from '../../../http/errors/error-responses.js';
import { type Month, MONTH_PATTERN, monthOf, type StatementRejectionCode } from '../domain/month.js';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { type DocumentedError, rejection } from '../../../http/openapi/errors.js';
import { THIS_MONTH } from '../../../http/openapi/moving-times.js';
import { PathParameter } from '../../../http/openapi/properties.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { STATEMENT_CSV } from './statement-responses.dto.js';
import { Input } from '../../../http/validating/dto.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const statementRejectionResponses: RejectionResponses<StatementRejectionCode> = {
  statement_unknown: { code: 'statement_not_found' },
};

export const STATEMENT_FORMATS = ['json', 'csv', 'html', 'pdf'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** Examples of the forms of a statement besides JSON. */
export const STATEMENT_FORMS = { 'text/csv': STATEMENT_CSV, 'text/html': '<!doctype html>…', 'application/pdf': null };

export const MONTH = PathParameter({
  name: 'month',
  description: 'The month, in UTC.',
  schema: { type: 'string', pattern: MONTH_PATTERN },
  example: THIS_MONTH,
});

export const STATEMENT_NOT_FOUND = rejection(
  statementRejectionResponses.statement_unknown,
  'StatementNotFound',
  'The month has not begun, or it ended before the account existed.',
);

export const NO_PARTNER_OR_STATEMENT: DocumentedError = {
  name: 'PartnerOrStatementNotFound',
  codes: ['statement_not_found', 'partner_not_found'],
  description: 'No partner has this id, or the month has not begun, or it ended before the account existed. The code says which.',
};

export class StatementQueryDto extends Input {
  @ApiProperty({ description: 'JSON, CSV for spreadsheets, an HTML page to print, or PDF.', default: 'json', example: 'json' })
  @IsOptional()
  @IsIn(STATEMENT_FORMATS)
  format?: StatementFormat;
}

/** Returns the month of a path parameter. @throws ValidationFailed */
export function parseMonth(name: string): Month {
  const month = monthOf(name);
  if (!month) throw new ValidationFailed({ month: ['The month field must be a month such as 2026-03.'] });
  return month;
}
