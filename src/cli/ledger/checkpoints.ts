import { CheckpointLog } from '../../contexts/evidence/checkpoints/checkpoint-log.js';
import { checkpointView } from '../../contexts/evidence/checkpoints/checkpoint-responses.dto.js';
import { Cosignatures } from '../../contexts/evidence/witnesses/cosignature-table.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine, printText } from '../support/output.js';
import { table } from '../support/table.js';
import { wholeNumber } from '../support/values.js';

const MAX_NUMBER = 999_999_999;
const MAX_SHOWN = 1_000;

interface Options {
  readonly lines: number;
  readonly json?: true;
}

export function listCheckpoints(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('[number]', 'number of a checkpoint, whose note is printed (default: the newest checkpoints)', wholeNumber(1, MAX_NUMBER))
    .option('-n, --lines <count>', 'number of newest checkpoints', wholeNumber(1, MAX_SHOWN), 20)
    .option('--json', 'print as JSON: an object for a number, else a list')
    .action(async (number: number | undefined, { lines, json }: Options) => {
      const views = await runtime.withApplication(async (app) => {
        const log = app.get(CheckpointLog);
        const found = number === undefined ? await log.list(lines) : [await log.get(number)];
        const cosignatures = await app.get(Cosignatures).ofEach(found);
        return found.map((each) => checkpointView(each, cosignatures.get(each.number)));
      });
      if (json) printLine(JSON.stringify(number === undefined ? views : views[0]));
      else if (number !== undefined) printText(views[0]?.note ?? '');
      else
        printLine(
          table(
            ['number', 'made', 'events', 'root'],
            views.map((each) => [each.number, each.made_at, each.tree_size, each.root]),
            [0, 2],
          ),
        );
    });
}
