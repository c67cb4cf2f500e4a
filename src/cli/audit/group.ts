import { type Group } from '../group.js';

export const audit: Group = {
  name: 'audit',
  description: 'read the audit trail of administrators, auditors and operators',
  commands: [
    {
      name: 'list',
      description: 'list calls with a valid token and commands that may change something (default: those of today, UTC)',
      load: async () => (await import('./list.js')).listAudit,
    },
  ],
};
