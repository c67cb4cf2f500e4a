import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { type DocumentedError, rejection } from '../../../http/openapi/errors.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { periodRejectionResponses } from '../closing/periods.dto.js';
import { StatementQueryDto } from '../statements/statements.dto.js';

export class StatementRunQueryDto extends StatementQueryDto {
  @ApiProperty({ description: 'The books whose partners’ statements are sent.', default: DEFAULT_MODE, example: 'live' })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode;
}

export const PERIOD_OPEN: DocumentedError = rejection(periodRejectionResponses.period_open, 'PeriodOpen', 'The month is not closed.');
