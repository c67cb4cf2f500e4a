import { type Group } from '../group.js';

export const events: Group = {
  name: 'events',
  description: 'read the log, check it, move it, or adopt a restored one',
  commands: [
    {
      name: 'tail',
      description: 'print the newest events of the log as they are stored; personal data stay encrypted',
      load: async () => (await import('./tail.js')).tailEvents,
    },
    {
      name: 'check',
      description:
        'read the whole log and name what is damaged; exits with 1 if anything is. Stop the service to check the files themselves',
      load: async () => (await import('./check.js')).checkEvents,
    },
    {
      name: 'copy',
      description:
        'copy the log to another event store, with the same ids, order and hashes; a second run continues an interrupted copy (docs/adr/0011)',
      load: async () => (await import('./copy.js')).copyEvents,
    },
    {
      name: 'skip',
      description: 'pass over an event that cannot be used and was set aside, so that calls that need its stream are served again',
      load: async () => (await import('./skip.js')).skipEvent,
    },
    {
      name: 'adopt',
      description: 'after a restore: switch the database to a log that ends before the database’s checkpoints; the service must be stopped',
      load: async () => (await import('./adopt.js')).adoptEvents,
    },
  ],
};
