import { type Command } from 'commander';
import { type Pool } from 'pg';
import { POOL } from '../../platform/injection-tokens.js';
import { type Retried, retry } from '../../platform/projecting/retry.js';
import { say } from '../support/output.js';
import { namedProjections } from '../support/named-projections.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const TIMEOUT_MS = 600_000;

export function retryProjection(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('retry')
    .changes()
    .description('let a faulted read model go on, after a fix, from the event at which it stopped')
    .argument('<name>', 'the read model')
    .action(async (name: string, _options: object, command: Command) => {
      namedProjections(command, [name]);
      say(inWords(name, await runtime.withApplication((app) => retry(app.get<Pool>(POOL), name, TIMEOUT_MS))));
    });
}

/** @throws Error where it is not level. */
function inWords(name: string, retried: Retried): string {
  switch (retried.kind) {
    case 'not_faulted':
      return `${name} is not faulted; nothing to do.`;
    case 'caught_up':
      return `${name} went on and is level with the rest.`;
    case 'waiting':
      throw new Error(`${name} may go on, and has not come as far as the rest yet. Does a projector run? See: rupa projections status`);
    case 'faulted_again':
      throw new Error(`${name} stopped again: ${retried.fault}`);
  }
}
