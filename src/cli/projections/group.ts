import { type Group } from '../group.js';

export const projections: Group = {
  name: 'projections',
  description: 'inspect, rebuild and verify the read models',
  commands: [
    {
      name: 'status',
      description: 'print the position, lag, state and rows of every read model; exits with 1 if one is faulted',
      load: async () => (await import('./status.js')).projectionsStatus,
    },
    {
      name: 'rebuild',
      description: 'rebuild read models from the log in shadow tables and swap them in; the service keeps running',
      load: async () => (await import('./rebuild.js')).rebuildProjections,
    },
    {
      name: 'verify',
      description: 'rebuild read models in shadow tables and compare every row with the live tables; exits with 1 if one differs',
      load: async () => (await import('./verify.js')).verifyProjections,
    },
    {
      name: 'retry',
      description: 'after a fix, resume a faulted read model from the event at which it stopped',
      load: async () => (await import('./retry.js')).retryProjection,
    },
    {
      name: 'job',
      description: 'print the state and progress of a job that was started over HTTP; exits with 1 if it failed or found differences',
      load: async () => (await import('./job.js')).projectionJob,
    },
  ],
};
