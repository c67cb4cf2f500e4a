import { type Group } from '../group.js';

export const approvals: Group = {
  name: 'approvals',
  description: 'approve or reject calls that need a second person',
  commands: [
    {
      name: 'list',
      description: 'list the calls that wait for a second person, or those with another status',
      load: async () => (await import('./list.js')).listApprovals,
    },
    {
      name: 'approve',
      description: 'approve and execute a call of another person; needs RUPA_TOKEN',
      load: async () => (await import('./decide.js')).approveCall,
    },
    {
      name: 'reject',
      description: 'reject a call, which is not executed then',
      load: async () => (await import('./decide.js')).rejectCall,
    },
  ],
};
