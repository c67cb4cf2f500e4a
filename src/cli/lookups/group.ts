import { type Group } from '../group.js';

export const lookups: Group = {
  name: 'lookups',
  description: 'explain charged lookups',
  commands: [
    {
      name: 'show',
      description: 'explain a lookup, as rupa wallet explain does, or the lookups of a request',
      load: async () => (await import('./show.js')).showLookups,
    },
    {
      name: 'find',
      description: 'list the lookups of a farmer by all partners in a time window, newest first',
      load: async () => (await import('./find.js')).findLookups,
    },
  ],
};
