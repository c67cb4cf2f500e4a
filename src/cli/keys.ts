import { type Command } from 'commander';
import { keysRetire } from './keys-retire.js';
import { keysRotate } from './keys-rotate.js';
import { keysStatus } from './keys-status.js';

/** docs/operations.md, "Keys". */
export function keys(program: Command): void {
  const group = program.command('keys').description('the master keys, under which farmers’ data keys and webhooks’ secrets lie');
  for (const add of [keysStatus, keysRotate, keysRetire]) add(group);
}
