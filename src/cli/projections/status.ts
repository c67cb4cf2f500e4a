import { projectionStates } from '../../contexts/rebuilding/projection-states.js';
import { type ProjectionState } from '../../contexts/rebuilding/projections.dto.js';
import { MAX_COUNTED_LAG } from '../../platform/projecting/checkpoints.js';
import { unusableEvents, unusableText } from '../../platform/unusable-events/unusable-table.js';
import { printError, printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function projectionsStatus(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { states, unusable } = await runtime.withLog(async (log) => ({
        states: await projectionStates(log, { countRows: true }),
        unusable: await unusableEvents(log.pool),
      }));
      printLine(json ? JSON.stringify(states) : statusTable(states));
      for (const event of unusable) printError(unusableText(event));
      const faulted = states.filter(({ error }) => error !== null);
      if (!json) for (const { name, error } of faulted) printError(`${name}: ${error ?? ''}`);
      if (faulted.length + unusable.length > 0) process.exitCode = 1;
    });
}

function statusTable(states: readonly ProjectionState[]): string {
  const lag = (events: number): string => (events >= MAX_COUNTED_LAG ? `${MAX_COUNTED_LAG} or more` : String(events));
  const rows = states.map((state) => [state.name, state.status, state.position ?? '', lag(state.lag), state.rows ?? '', state.version]);
  return table(['read model', 'state', 'position', 'lag (events)', 'rows', 'version'], rows, [2, 3, 4, 5]);
}
