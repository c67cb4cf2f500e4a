import { type Pool } from 'pg';
import { POOL } from '../../platform/injection-tokens.js';
import { type RetryOutcome, retry } from '../../platform/projecting/retry.js';
import { printLine } from '../support/output.js';
import { namedProjections } from '../support/named-projections.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const TIMEOUT_MS = 600_000;

export function retryProjection(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<name>', 'name of the read model')
    .action(async (name: string) => {
      namedProjections(command, [name]);
      printLine(inWords(name, await runtime.withApplication((app) => retry(app.get<Pool>(POOL), name, TIMEOUT_MS))));
    });
}

/** Describes the result. @throws Error if the read model has not caught up */
function inWords(name: string, retried: RetryOutcome): string {
  switch (retried.kind) {
    case 'not_faulted':
      return `${name} is not faulted; nothing to do.`;
    case 'caught_up':
      return `${name} has resumed and caught up with the other read models.`;
    case 'waiting':
      throw new Error(
        `${name} is not faulted any more, but has not caught up yet. Check that a projector runs, and watch: rupa projections status`,
      );
    case 'faulted_again':
      throw new Error(`${name} faulted again: ${retried.fault}`);
  }
}
