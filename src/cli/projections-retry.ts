import { type Command } from 'commander';
import { type Pool } from 'pg';
import { POOL } from '../platform/injection-tokens.js';
import { type Retried, retry } from '../platform/projecting/retry.js';
import { say } from './output.js';
import { withApp } from './with-app.js';
import { chosen } from './with-log.js';

const TIMEOUT_MS = 600_000;

export function projectionsRetry(group: Command): void {
  group
    .command('retry')
    .description('let a faulted read model go on, after a fix, from the event at which it stopped')
    .argument('<name>', 'the read model')
    .action(async (name: string, _options: object, command: Command) => {
      chosen(command, [name]);
      say(inWords(name, await withApp((app) => retry(app.get<Pool>(POOL), name, TIMEOUT_MS))));
    });
}

/** @throws Error where it is not level. */
function inWords(name: string, retried: Retried): string {
  switch (retried.kind) {
    case 'not_faulted':
      return `${name} is not faulted; nothing to do.`;
    case 'level':
      return `${name} went on and is level with the rest.`;
    case 'waiting':
      throw new Error(`${name} may go on, and has not come as far as the rest yet. Does a projector run? See: rupa projections status`);
    case 'faulted_again':
      throw new Error(`${name} stopped again: ${retried.fault}`);
  }
}
