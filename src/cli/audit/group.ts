import { type Group } from '../group.js';

export const audit: Group = {
  name: 'audit',
  description: 'read the audit trail of administrators, auditors and operators, and the evidence file',
  commands: [
    {
      name: 'list',
      description: 'list calls with a valid token and commands that may change something (default: those of today, UTC)',
      load: async () => (await import('./list.js')).listAudit,
    },
    {
      name: 'evidence',
      description: 'write every event of the log to a file that docs/audit/audit.py and audit.mjs check',
      load: async () => (await import('./evidence.js')).writeEvidence,
    },
  ],
};
