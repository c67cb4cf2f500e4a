import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, Min } from 'class-validator';
import { Schema } from '../../http/openapi/example.js';
import { Naira } from '../../http/openapi/properties.js';
import { IsNaira } from '../../http/validation.js';

const NOTIFIED = 'NGN below which `account.low_balance` is sent, once each time the balance falls through it. Null for never.';

/** Body of PUT /v1/rupa/me/low-balance. A missing amount counts as null. */
@Schema('SetLowBalance', { amount: 5000 })
export class LowBalanceDto {
  @ApiProperty({ description: NOTIFIED })
  @IsOptional()
  @IsNaira()
  @Min(0.01)
  amount?: number | null;
}

@Schema('LowBalance', { amount: 5000 })
export class LowBalance {
  @Naira({ description: NOTIFIED, nullable: true }) readonly amount: number | null;
}
