import { ProjectionJobs } from '../../contexts/rebuilding/projection-jobs.js';
import { type ProjectionJob } from '../../contexts/rebuilding/projections.dto.js';
import { printError, printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { idNumber } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { differenceInWords } from './verify.js';

export function projectionJob(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<job>', 'id of the job, as POST /admin/v1/projections/{name}/rebuild, retry or verify returns it', idNumber)
    .option('--json', 'print as JSON')
    .action(async (jobId: number, { json }: { json?: boolean }) => {
      const job = await runtime.withLog(({ pool }) => new ProjectionJobs(pool).find(jobId));
      if (!job) throw new Error(`There is no job ${jobId}. Jobs are kept for 30 days.`);
      printLine(json ? JSON.stringify(job) : jobTable(job));
      if (!json) explain(job);
      if (job.state === 'failed' || (job.differences ?? 0) > 0) process.exitCode = 1;
    });
}

function explain({ projection, error, differences, differing_rows }: ProjectionJob): void {
  if (error !== null) printError(error);
  const rows = differing_rows ?? [];
  for (const row of rows) printError(differenceInWords(row.table, row));
  const more = (differences ?? 0) - rows.length;
  if (rows.length > 0 && more > 0) printError(`${projection}: and ${more} more`);
}

function jobTable({ job_id, projection, action, state, done, total, rate, seconds_left, differences }: ProjectionJob): string {
  const row = [job_id, projection, action, state, done, total ?? '', rate, seconds_left ?? '', differences ?? ''];
  return table(['job', 'read model', 'action', 'state', 'events', 'of', 'events/s', 's left', 'differ'], [row], [0, 4, 5, 6, 7, 8]);
}
