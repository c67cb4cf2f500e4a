import { type Pool } from 'pg';

/** A node of EXPLAIN's output. */
interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** The amount that the statements of a call read. */
export interface Work {
  /** Rows that the scans read, with those that a filter removed. */
  readonly rows: number;
  /** Pages of 8 KiB. */
  readonly buffers: number;
  /** Milliseconds of the call without EXPLAIN. */
  readonly ms: number;
}

/** Runs a call, and returns what the plans of its statements read. */
export async function workOf(pool: Pool, call: (explaining: Pool) => Promise<unknown>): Promise<Work> {
  let [rows, buffers, ms] = [0, 0, 0];
  const explaining = {
    query: async (statement: string | { readonly text: string; readonly values: unknown[] }, given: unknown[] = []) => {
      const { text, values } = typeof statement === 'string' ? { text: statement, values: given } : statement;
      const { rows: plans } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, buffers, timing off, format json) ${text}`,
        values,
      );
      for (const each of plans) {
        const plan = each['QUERY PLAN'][0].Plan;
        rows += rowsRead(plan);
        buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      }
      const begun = performance.now();
      const result = await pool.query(text, values);
      ms += performance.now() - begun;
      return result;
    },
  };
  await call(explaining as unknown as Pool);
  return { rows, buffers, ms };
}

function rowsRead(plan: Plan): number {
  const isScan = plan['Node Type'].endsWith('Scan') && !['Subquery Scan', 'CTE Scan', 'Function Scan'].includes(plan['Node Type']);
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = isScan ? (plan['Actual Rows'] + removed) * plan['Actual Loops'] : 0;
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
}
