import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, Min } from 'class-validator';
import { canonicalDate } from '../../kernel/iso-8601.js';
import { EXAMPLE } from '../openapi/properties.js';
import { Converted } from './dto.js';
import { startOfDay } from './paging.js';
import { IsDate8601, IsNaira, IsRupaId } from './validation.js';

/** A half-open period of time. Both bounds are ISO 8601 timestamps with an offset, and a missing one bounds nothing. */
export interface Period {
  /** The first moment. */
  readonly from?: string | undefined;
  /** The first moment after the period. */
  readonly to?: string | undefined;
}

const DATE = 'An ISO 8601 timestamp with an offset, or a date, which stands for its midnight (UTC).';

/**
 * Declares `from` of a partner's list (decisions, "Paging"). Validation makes a timestamp of a date.
 * @param time the field of a row that is compared
 */
export function PeriodFrom(time: string): PropertyDecorator {
  return bound({ description: `Only rows whose \`${time}\` is at or after this. ${DATE}`, example: '2026-03-01' });
}

/** Declares `to` of a partner's list, like {@link PeriodFrom}. */
export function PeriodTo(time: string): PropertyDecorator {
  return bound({ description: `Only rows whose \`${time}\` is before this. ${DATE}`, example: '2026-04-01' });
}

/** Declares `rupa_id` of a partner's list. @param rows what the list holds, in the plural */
export function OfFarmer(rows: string): PropertyDecorator {
  return all(IsOptional(), IsRupaId(), ApiProperty({ description: `Only ${rows} about this farmer.`, example: EXAMPLE.rupa_id }));
}

/** Declares an amount in NGN that a list is filtered by. @param rule says which rows it selects, as a sentence */
export function NairaInQuery(rule: string): PropertyDecorator {
  const number = Converted((value) => (typeof value === 'string' && /^\d{1,12}(?:\.\d{1,2})?$/.test(value) ? Number(value) : value));
  return all(IsOptional(), number, IsNaira(), Min(0), ApiProperty({ description: `NGN. ${rule}`, example: 100 }));
}

function bound(schema: { readonly description: string; readonly example: string }): PropertyDecorator {
  // The conversion replaces the one of IsDate8601, so it has to come after it.
  const moment = Converted((value) => (typeof value === 'string' ? startOfDay(canonicalDate(value)) : value));
  return all(IsOptional(), IsDate8601(), moment, ApiProperty(schema));
}

function all(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
