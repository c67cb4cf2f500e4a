import { type Group } from '../group.js';

export const keys: Group = {
  name: 'keys',
  description:
    'manage partners’ API keys; the master keys, which encrypt farmers’ data keys and the service’s secrets, and the key that signs checkpoints',
  commands: [
    {
      name: 'status',
      description: 'count the keys and secrets under each master key; exits with 1 if MASTER_KEY lacks one of these master keys',
      load: async () => (await import('./status.js')).keysStatus,
    },
    {
      name: 'rotate',
      description: 're-encrypt the keys and secrets under older master keys with the current one; the service keeps running',
      load: async () => (await import('./rotate.js')).rotateMasterKeys,
    },
    {
      name: 'retire',
      description: 'remove an old master key that encrypts nothing any more; only for keys that the service generated itself',
      load: async () => (await import('./retire.js')).retireKey,
    },
    {
      name: 'rotate-checkpoint',
      description: 'generate a new key that signs checkpoints, and print its verifier key; the former one stays published',
      load: async () => (await import('./rotate-checkpoint.js')).rotateCheckpointKey,
    },
    {
      name: 'list',
      description: 'list partners’ API keys with the hour of their last use, newest first',
      load: async () => (await import('./list.js')).listKeys,
    },
    {
      name: 'issue',
      description: 'issue an API key that is linked to no partner, and print its id and the key, which is not shown again',
      load: async () => (await import('./issue.js')).issueUnlinkedKey,
    },
    {
      name: 'link',
      description: 'link an API key to a partner',
      load: async () => (await import('./link.js')).linkKey,
    },
    {
      name: 'revoke',
      description: 'deactivate an API key, at once and on every instance; this cannot be undone',
      load: async () => (await import('./revoke.js')).revokeKey,
    },
  ],
};
