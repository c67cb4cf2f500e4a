import { type Group } from '../group.js';

export const maintenance: Group = {
  name: 'maintenance',
  description: 'refuse calls that change something, on every instance, for a restore or a move; calls that read go on',
  commands: [
    {
      name: 'on',
      description: 'begin maintenance, or replace its reason and its end; also before the service is started on restored stores',
      load: async () => (await import('./on.js')).beginMaintenanceNow,
    },
    {
      name: 'off',
      description: 'end maintenance',
      load: async () => (await import('./off.js')).endMaintenanceNow,
    },
    {
      name: 'status',
      description: 'print whether maintenance is in force, since when, until when and why',
      load: async () => (await import('./status.js')).showMaintenance,
    },
  ],
};
