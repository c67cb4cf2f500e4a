import { IsOptional } from 'class-validator';
import { IsDate8601 } from '../../http/validation.js';

export class TrialBalanceQueryDto {
  @IsOptional()
  @IsDate8601()
  at?: string;
}
