import { ApiProperty } from '@nestjs/swagger';
import { Min } from 'class-validator';
import { Schema } from '../../http/openapi/example.js';
import { Naira } from '../../http/openapi/properties.js';
import { IsNaira, NullOr, Required } from '../../http/validation.js';
import { Input } from '../../http/dto.js';

const NOTIFIED = 'NGN below which `account.low_balance` is sent, once each time the balance falls through it. Null for never.';

/** Body of PUT /v1/rupa/me/low-balance. A missing amount is refused: a misspelt field would else end the notifications. */
@Schema('SetLowBalance', { amount: 5000 })
export class LowBalanceDto extends Input {
  @ApiProperty({ description: NOTIFIED })
  @NullOr()
  @Required()
  @IsNaira()
  @Min(0.01)
  amount: number | null;
}

@Schema('LowBalance', { amount: 5000 })
export class LowBalance {
  @Naira({ description: NOTIFIED, nullable: true }) readonly amount: number | null;
}
