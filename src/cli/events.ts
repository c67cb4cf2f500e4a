import { type Command } from 'commander';
import { eventsAdopt } from './events-adopt.js';
import { eventsCopy } from './events-copy.js';
import { eventsTail } from './events-tail.js';

/** The log itself. */
export function events(program: Command): void {
  const group = program.command('events').description('the log: read it, move it, go on with a restored one');
  for (const add of [eventsTail, eventsCopy, eventsAdopt]) add(group);
}
