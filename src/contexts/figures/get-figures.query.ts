import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { type Counts, DEFAULT_PERIOD, MINUTE_MS, type Period, PERIODS, type RecordedStep, stepsOf, wholeUntil } from './domain/figures.js';
import { FigureTable } from './figure-table.js';
import { type FiguresView, type FigureStep } from './figures.dto.js';

/** Returns what all processes counted in a period of whole minutes, by steps, and which processes write figures. */
export class GetFigures extends Query<FiguresView> {
  constructor(readonly period: Period = DEFAULT_PERIOD) {
    super();
  }
}

/** The whole minutes of a period. They change only if a process writes what it could not write in time. */
interface Whole {
  readonly toMs: number;
  readonly total: Counts;
  readonly steps: readonly RecordedStep[];
}

/** A process reads a period's whole minutes again after this part of the period: 30 seconds of a month, which has 43,200 rows. */
const KEPT_PART = 86_400;

@QueryHandler(GetFigures)
export class GetFiguresHandler implements IQueryHandler<GetFigures> {
  private readonly table: FigureTable;
  private readonly kept = new Map<Period, { readonly readAtMs: number; readonly whole: Whole }>();

  constructor(@Inject(FREE_CALLS_POOL) pool: Pool) {
    this.table = new FigureTable(pool);
  }

  async execute({ period }: GetFigures): Promise<FiguresView> {
    const { ms, stepMs } = PERIODS[period];
    const { toMs, total, steps } = await this.whole(period, await this.table.nowMs());
    return {
      period,
      from: isoOf(toMs - ms),
      to: isoOf(toMs),
      total,
      since: await this.table.sum(toMs, Infinity),
      step_seconds: stepMs / 1_000,
      steps: steps.map(stepView),
      now: (await this.table.newestLevels()) ?? null,
      processes: await this.table.processes(),
    };
  }

  private async whole(period: Period, nowMs: number): Promise<Whole> {
    const { ms, stepMs } = PERIODS[period];
    const kept = this.kept.get(period);
    if (kept && Math.abs(nowMs - kept.readAtMs) < ms / KEPT_PART) return kept.whole;
    const toMs = wholeUntil(MINUTE_MS, nowMs);
    const recorded = await this.table.steps(stepMs, wholeUntil(stepMs, nowMs) - ms);
    const whole = { toMs, total: await this.table.sum(toMs - ms, toMs), steps: stepsOf(period, nowMs, recorded) };
    this.kept.set(period, { readAtMs: nowMs, whole });
    return whole;
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

function stepView({ atMs, counts, levels }: RecordedStep): FigureStep {
  const { lookups = null, billed = null, errors = null, refunds = null, delivered = null, failed_deliveries = null } = counts ?? {};
  return { at: isoOf(atMs), lookups, billed, errors, refunds, delivered, failed_deliveries, ...levels };
}
