import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { DEFAULT_PERIOD, endOfPeriod, figuresOf, type Period, PERIODS, type RecordedStep } from './domain/figures.js';
import { FigureTable } from './figure-table.js';
import { type FiguresView, type FigureStep } from './figures.dto.js';

/** Returns what all processes counted in a period of whole steps, and which processes write figures. */
export class GetFigures extends Query<FiguresView> {
  constructor(readonly period: Period = DEFAULT_PERIOD) {
    super();
  }
}

@QueryHandler(GetFigures)
export class GetFiguresHandler implements IQueryHandler<GetFigures> {
  private readonly table: FigureTable;

  constructor(@Inject(FREE_CALLS_POOL) pool: Pool) {
    this.table = new FigureTable(pool);
  }

  async execute({ period }: GetFigures): Promise<FiguresView> {
    const { ms, stepMs } = PERIODS[period];
    const nowMs = await this.table.nowMs();
    const recorded = await this.table.steps(stepMs, endOfPeriod(period, nowMs) - ms);
    const { steps, total, running } = figuresOf(period, nowMs, recorded);
    return {
      period,
      step_seconds: stepMs / 1_000,
      from: isoOf(running.atMs - ms),
      to: isoOf(running.atMs),
      total,
      steps: steps.map(stepView),
      running: stepView(running),
      now: (await this.table.newestLevels()) ?? null,
      processes: await this.table.processes(),
    };
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

function stepView({ atMs, counts, levels }: RecordedStep): FigureStep {
  const { lookups = null, billed = null, errors = null, refunds = null, delivered = null, failed_deliveries = null } = counts ?? {};
  return { at: isoOf(atMs), lookups, billed, errors, refunds, delivered, failed_deliveries, ...levels };
}
