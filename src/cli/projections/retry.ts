import { type Pool } from 'pg';
import { retryReadModel } from '../../contexts/rebuilding/read-model-work.js';
import { POOL } from '../../platform/injection-tokens.js';
import { printLine } from '../support/output.js';
import { namedProjections } from '../support/shadow-work.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function retryProjection(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .argument('<name>', 'name of the read model')
    .action(async (named: string) => {
      for (const { name } of namedProjections(command, [named]))
        printLine(await runtime.withApplication((app) => retryReadModel(app.get<Pool>(POOL), name)));
    });
}
