import { type Group } from '../group.js';

export const farmers: Group = {
  name: 'farmers',
  description: 'manage farmers’ records',
  commands: [
    {
      name: 'import',
      description: 'register or update farmers from JSON lines; a second run with the same file changes nothing',
      load: async () => (await import('./import.js')).importFarmerRecords,
    },
    {
      name: 'report',
      description:
        'print which partners hold a farmer’s consent, looked up which sections when, and reported what; also for an erased farmer',
      load: async () => (await import('./report.js')).reportFarmer,
    },
    {
      name: 'erase',
      description: 'erase a farmer permanently: all personal data become unreadable, in the log too; this cannot be undone',
      load: async () => (await import('./erase.js')).eraseFarmer,
    },
  ],
};
