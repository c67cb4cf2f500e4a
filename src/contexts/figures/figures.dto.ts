import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { Count, Decimal, Flag, Integer, ListOf, Nested, OneOf, Schema, Text, Texts, Time } from '../../http/openapi/properties.js';
import { Input } from '../../http/validating/dto.js';
import { DEFAULT_PERIOD, type Period, PERIOD_NAMES } from './domain/figures.js';

const LEVELS_READ = {
  lag_seconds: 0.4,
  lag_events: 31,
  open_charges: 2,
  oldest_charge_seconds: 1.2,
  deliveries_waiting: 0,
  failing_seconds: 0,
};
const STEP = {
  at: '2026-03-01T09:14:00.000Z',
  lookups: 746,
  billed: 520,
  errors: 219,
  refunds: 219,
  delivered: 12,
  failed_deliveries: 0,
  ...LEVELS_READ,
};
const { lookups, billed, errors, refunds, delivered, failed_deliveries } = STEP;
const TOTAL = { lookups, billed, errors, refunds, delivered, failed_deliveries };
const PROCESS = {
  roles: ['api', 'console'],
  host: 'api-1',
  pid: 7,
  begun_at: '2026-03-01T08:00:03.120Z',
  seen_at: '2026-03-01T09:15:02.480Z',
  alive: true,
};

const UNKNOWN = 'Null if no process recorded anything in the step.';
const UNREAD = 'The highest of the time; null if it was not read.';
const LOOKUPS = 'Lookups of every outcome, calls that were rejected among them.';
const BILLED = 'Lookups that were billed.';
const ERRORS = 'Lookups whose response was a 500 or a 503, but for those that a test farmer is for.';
const REFUNDS = 'Refunds that were issued.';
const DELIVERED = 'Webhooks that an endpoint accepted.';
const FAILED = 'Attempts to deliver a webhook that failed.';
const orNull = (description: string) => ({ description: `${description} ${UNKNOWN}`, nullable: true });
const level = (description: string) => ({ description: `${description} ${UNREAD}`, nullable: true });

export class FiguresQueryDto extends Input {
  @ApiProperty({
    enum: PERIOD_NAMES,
    description: 'An hour in minutes, a day of 24 hours in steps of ten minutes, or a month of 30 days in steps of six hours.',
    default: DEFAULT_PERIOD,
    example: DEFAULT_PERIOD,
  })
  @IsOptional()
  @IsIn(PERIOD_NAMES)
  period?: Period;
}

@Schema('FigureTotal', TOTAL)
export class FigureTotal {
  @Count(LOOKUPS) readonly lookups: number;
  @Count(BILLED) readonly billed: number;
  @Count(ERRORS) readonly errors: number;
  @Count(REFUNDS) readonly refunds: number;
  @Count(DELIVERED) readonly delivered: number;
  @Count(FAILED) readonly failed_deliveries: number;
}

class FigureLevels {
  @Decimal(level('Age of the oldest event that a read model does not show.')) readonly lag_seconds: number | null;
  @Count(level('Events that the read model that is furthest behind does not show, counted up to 10,000.'))
  readonly lag_events: number | null;
  @Count(level('Charges neither settled nor refunded.')) readonly open_charges: number | null;
  @Decimal(level('Age of the oldest open charge.')) readonly oldest_charge_seconds: number | null;
  @Count(level('Deliveries that wait for an attempt.')) readonly deliveries_waiting: number | null;
  @Decimal(level('Time since the most overdue delivery to a failing endpoint became due.')) readonly failing_seconds: number | null;
}

@Schema('NewestLevels', { at: '2026-03-01T09:15:01.300Z', ...LEVELS_READ })
export class NewestLevels extends FigureLevels {
  @Time('When the newest were read.') readonly at: string;
}

@Schema('FigureStep', STEP)
export class FigureStep extends FigureLevels {
  @Time('When the step begins.') readonly at: string;
  @Count(orNull(LOOKUPS)) readonly lookups: number | null;
  @Count(orNull(BILLED)) readonly billed: number | null;
  @Count(orNull(ERRORS)) readonly errors: number | null;
  @Count(orNull(REFUNDS)) readonly refunds: number | null;
  @Count(orNull(DELIVERED)) readonly delivered: number | null;
  @Count(orNull(FAILED)) readonly failed_deliveries: number | null;
}

@Schema('FigureProcess', PROCESS)
export class FigureProcess {
  @Texts(undefined, 'What it does. A process whose projector or webhooks run beside its API is listed once for each of the two.')
  readonly roles: readonly string[];
  @Text('Name of its host.') readonly host: string;
  @Integer('Its process id on that host.') readonly pid: number;
  @Time('When it first wrote.') readonly begun_at: string;
  @Time('When it last wrote, by the database’s clock. It writes every five seconds.') readonly seen_at: string;
  @Flag('False if it has been silent for 20 seconds: it was killed, hangs, or does not reach the database.') readonly alive: boolean;
}

@Schema('Figures', {
  period: DEFAULT_PERIOD,
  from: '2026-03-01T08:15:00.000Z',
  to: '2026-03-01T09:15:00.000Z',
  total: TOTAL,
  since: { ...TOTAL, lookups: 3, billed: 3, errors: 0, refunds: 0, delivered: 0 },
  step_seconds: 60,
  steps: [STEP],
  now: { at: '2026-03-01T09:15:01.300Z', ...LEVELS_READ },
  processes: [PROCESS],
})
export class FiguresView {
  @OneOf(PERIOD_NAMES) readonly period: Period;
  @Time('The first minute that `total` counts.') readonly from: string;
  @Time('The beginning of the minute that is not over, which `total` does not count.') readonly to: string;
  @Nested(FigureTotal, 'The sums of the whole minutes from `from` until before `to`: exactly the length of the period.')
  readonly total: FigureTotal;
  @Nested(FigureTotal, 'What has been recorded since `to`.') readonly since: FigureTotal;
  @Count('Seconds of a step.') readonly step_seconds: number;
  @ListOf(FigureStep, 'The steps that are over, at whole multiples of their length in UTC.') readonly steps: readonly FigureStep[];
  @Nested(NewestLevels, { description: 'The levels of the newest minute; null if none was read within two minutes.', nullable: true })
  readonly now: NewestLevels | null;
  @ListOf(FigureProcess, 'The processes that wrote within the last hour and did not stop, those that are alive first.')
  readonly processes: readonly FigureProcess[];
}
