import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { contributionProjection } from '../../projections/contribution/contribution.projection.js';
import { type ContributionRow } from '../../projections/contribution/contribution-table.js';
import { farmerReports } from '../../projections/farmer-reports/farmer-reports.derivation.js';
import { REPORTS_COLUMNS, reportedItems, reportsIn, reportsJoin } from '../../projections/farmer-reports/farmer-reports.reader.js';
import { type Contribution } from '../../src/contexts/reports/domain/events.js';
import { withClient } from '../../src/platform/database/pool.js';
import { type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { applyBatch, type RunningProjection } from '../../src/platform/projecting/applying/apply-batch.js';
import { OlderRows } from '../../src/platform/projecting/applying/older-rows.js';
import { readCheckpoints, setCheckpoint } from '../../src/platform/projecting/checkpoints.js';
import { DerivedTable } from '../../src/platform/projecting/derived-table.js';
import { type Authenticated, tablesOf } from '../../src/platform/projecting/projection.js';
import { createTable, ReadModelTable } from '../../src/platform/projecting/read-model-table.js';
import { ShadowTable } from '../../src/platform/projecting/rebuilding/shadow-table.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { expectedItems } from '../support/expected-items.js';
import { rowMacs } from '../support/row-macs.js';
import { recorded } from '../support/unit/recorded.js';

const FARMERS = ['rp-1', 'rp-2'];
const HOUR_MS = 3_600_000;
const BEGAN = Date.parse('2026-01-01T00:00:00.000Z');
const after = (hours: number): string => new Date(BEGAN + hours * HOUR_MS).toISOString();

const anyReport = fc.record({
  rupa_id: fc.constantFrom(...FARMERS),
  partner_id: fc.constantFrom('p1', 'p2'),
  event: fc.constantFrom<Contribution['event'][]>(
    ...(['loan_disbursed', 'loan_repayment', 'policy_issued', 'harvest_record', 'input_purchase', 'loan_defaulted'] as const),
  ),
  currency: fc.constantFrom('NGN', 'NGN', 'USD'),
  occurred_at: fc.nat({ max: 40 }).map(after),
  amount_minor: fc.option(fc.nat({ max: 1_000 })),
  partner_reference: fc.option(fc.constantFrom('l1', 'l2', 'l\0')),
  payload: fc.option(
    fc.record({
      loan_reference: fc.constantFrom('l1', 'l2', 'l\0', null),
      expires_at: fc.option(fc.nat({ max: 600 }).map(after)),
      item: fc.constantFrom('maize', '\ud800', 7),
    }),
  ),
});
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('report' as const), report: anyReport, times: fc.constantFrom(1, 2, 60) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('update' as const), report: anyReport, of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), rupa_id: fc.constantFrom(...FARMERS) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer Each> ? Each : never;
const anyHistory = fc.record({
  steps: fc.array(anyStep, { minLength: 1, maxLength: 30, size: 'max' }),
  batch: fc.constantFrom(1, 3, 50),
  rebuiltAt: fc.nat({ max: 30 }),
});

/** Returns the events of the steps. The reports of a step are about the same farmer, an hour apart from each other. */
function eventsOf(steps: readonly Step[]): RecordedEvent[] {
  const events: DomainEvent[] = [];
  const farmers: string[] = [];
  const append = (type: string, data: object): void => {
    events.push({ type, data: { ...data, recorded_at: after(events.length), actor: 'a' } });
  };
  for (const step of steps) {
    if (step.kind === 'erase') append('FarmerErased', { rupa_id: step.rupa_id });
    else if (step.kind === 'report')
      for (let time = 0; time < step.times; time += 1) {
        const occurred_at = after((Date.parse(step.report.occurred_at) - BEGAN) / HOUR_MS + time);
        append('ContributionRecorded', { ...step.report, occurred_at, contribution_id: farmers.length, account_type: 'bank' });
        farmers.push(step.report.rupa_id);
      }
    else if (farmers.length > 0) {
      const contribution_id = step.of % farmers.length;
      const previous_rupa_id = farmers[contribution_id];
      append('ContributionUpdated', { ...step.report, contribution_id, account_type: 'bank', previous_rupa_id });
      farmers[contribution_id] = step.report.rupa_id;
    }
  }
  return recorded(events);
}

describe('what lookups show of reports', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
    await pool.query('create schema rebuilt');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function emptyTables(): Promise<void> {
    await withClient(pool, async (client) => {
      for (const table of tablesOf([contributionProjection])) await createTable(client, table, 'read');
      await setCheckpoint(client, contributionProjection.name, contributionProjection.version, -1n);
    });
  }

  async function project(events: readonly RecordedEvent[], batch: number): Promise<void> {
    for (let at = 0; at < events.length; at += batch) {
      const checkpoint = (await readCheckpoints(pool)).get(contributionProjection.name);
      const last = events[Math.min(at + batch, events.length) - 1];
      if (!checkpoint || !last) throw new Error('There is nothing to project.');
      const running: RunningProjection = {
        projection: contributionProjection,
        table: new ReadModelTable(contributionProjection, 'read', rowMacs),
        derived: contributionProjection.derived.map((each) => new DerivedTable(contributionProjection, each, 'read', rowMacs)),
        older: new OlderRows({} as never, {} as never, rowMacs),
        checkpoint,
      };
      const applied = { events: events.slice(at, at + batch), last: last as never, setAside: [], behind: undefined };
      const outcome = await applyBatch(pool, [running], { ...applied, changesDirectory: false });
      expect(outcome.get(running)?.fault).toBeNull();
    }
  }

  /** @param derivedAt number of events after which the derived table is derived for the first time */
  async function rebuild(events: readonly RecordedEvent[], derivedAt: number): Promise<void> {
    const shadow = new ShadowTable(contributionProjection, 'rebuilt', pool, 50, rowMacs);
    await shadow.create();
    await shadow.apply(events.slice(0, derivedAt));
    await shadow.flush();
    await shadow.apply(events.slice(derivedAt));
    await shadow.flush();
  }

  async function rowsIn(schema: string, name: string): Promise<Authenticated[]> {
    const { rows } = await pool.query<Authenticated>(`select * from ${schema}.${name} order by 1`);
    return rows;
  }

  async function shown(at: string) {
    const { rows } = await pool.query<{ rupa_id: string }>(
      `select f.rupa_id as farmer, ${REPORTS_COLUMNS} from unnest($1::text[]) as f(rupa_id) ${reportsJoin('f.rupa_id')} order by 1`,
      [FARMERS],
    );
    return rows.map((row) => {
      const reports = reportsIn(row);
      return reports && { ...reportedItems(reports, at) };
    });
  }

  it('is the same live and rebuilt, and what follows from the reports', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async ({ steps, batch, rebuiltAt }) => {
        const events = eventsOf(steps);
        await emptyTables();
        await project(events, batch);
        await rebuild(events, Math.min(rebuiltAt, events.length));
        for (const { name, table } of tablesOf([contributionProjection])) {
          const live = await rowsIn('read', name);
          expect(live).toStrictEqual(await rowsIn('rebuilt', name));
          expect(live.filter((row) => !rowMacs.holds(table, row))).toStrictEqual([]);
        }
        const contributions = (await rowsIn('read', 'contribution')) as unknown as ContributionRow[];
        for (const hours of [0, 100, 400]) {
          const at = after(events.length + hours);
          expect(await shown(at)).toStrictEqual(FARMERS.map((farmer) => expectedItems(contributions, farmer, at)));
        }
      }),
      { numRuns: Number(process.env.FARMER_RUNS ?? 25) },
    );
  });

  it('is that of the log again after a report, if somebody edited or deleted its row', async () => {
    const events = eventsOf(fc.sample(anyReport, { numRuns: 1, seed: 1 }).map((report) => ({ kind: 'report', report, times: 60 })));
    for (const edit of ["update read.farmer_reports set outstanding_kobo = '7'", 'delete from read.farmer_reports']) {
      await emptyTables();
      await project(events.slice(0, 30), 30);
      await pool.query(edit);
      await project(events.slice(30), 30);
      await rebuild(events, 0);
      expect(await rowsIn('read', farmerReports.name)).toStrictEqual(await rowsIn('rebuilt', farmerReports.name));
    }
  });

  it('is trusted no more if it follows from a report that somebody edited', async () => {
    const loan = { partner_id: 'p1', rupa_id: 'rp-1', currency: 'NGN', occurred_at: after(0), amount_minor: 500 };
    const steps = [
      { kind: 'report', report: { ...loan, event: 'loan_disbursed', partner_reference: 'l1', payload: null }, times: 1 },
      {
        kind: 'report',
        report: { ...loan, event: 'loan_repayment', partner_reference: null, payload: { loan_reference: 'l1' } },
        times: 1,
      },
    ] as unknown as Step[];
    const events = eventsOf(steps);
    await emptyTables();
    await project(events.slice(0, 1), 1);
    await pool.query('update read.contribution set amount_minor = 900');
    const held = async (): Promise<boolean[]> =>
      (await rowsIn('read', farmerReports.name)).map((row) => rowMacs.holds(farmerReports.table, row));
    expect(await held()).toStrictEqual([true]);
    await project(events.slice(1), 1);
    expect(await held()).toStrictEqual([false]);
  });
});
