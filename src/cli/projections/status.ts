import { QueryBus } from '@nestjs/cqrs';
import { GetProjections } from '../../contexts/read-models/get-projections.query.js';
import { MAX_COUNTED_LAG, type ProjectionState } from '../../contexts/read-models/projections.dto.js';
import { printError, printLine, table } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function projectionsStatus(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('status')
    .reads()
    .description('print the position, lag, state and rows of every read model; exits with 1 if one is faulted')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const states = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetProjections({ countRows: true })));
      printLine(json ? JSON.stringify(states) : statusTable(states));
      const faulted = states.filter(({ error }) => error !== null);
      if (!json) for (const { name, error } of faulted) printError(`${name}: ${error ?? ''}`);
      if (faulted.length > 0) process.exitCode = 1;
    });
}

function statusTable(states: readonly ProjectionState[]): string {
  const lag = (events: number): string => (events >= MAX_COUNTED_LAG ? `${MAX_COUNTED_LAG} or more` : String(events));
  const rows = states.map((state) => [state.name, state.status, state.position ?? '', lag(state.lag), state.rows ?? '', state.version]);
  return table(['read model', 'state', 'position', 'lag (events)', 'rows', 'version'], rows, [2, 3, 4, 5]);
}
