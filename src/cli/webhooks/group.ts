import { type Group } from '../group.js';

export const webhooks: Group = {
  name: 'webhooks',
  description: 'watch and repair partners’ webhook endpoints',
  commands: [
    {
      name: 'list',
      description: 'list the endpoints of a partner or of all, with their failures and waiting deliveries, newest first',
      load: async () => (await import('./list.js')).listWebhooks,
    },
    {
      name: 'enable',
      description: 'enable an endpoint, which is notified from then on',
      load: async () => (await import('./switch.js')).enableWebhook,
    },
    {
      name: 'disable',
      description: 'disable an endpoint; its waiting deliveries are cancelled',
      load: async () => (await import('./switch.js')).disableWebhook,
    },
    {
      name: 'deliveries',
      description: 'list an endpoint’s newest deliveries with their last attempt',
      load: async () => (await import('./deliveries.js')).listDeliveries,
    },
    {
      name: 'resend',
      description: 'queue a delivery again, starting with its first attempt',
      load: async () => (await import('./resend.js')).resendDelivery,
    },
    {
      name: 'recover',
      description: 'queue every event since a time that an endpoint subscribes to and has not received',
      load: async () => (await import('./recover.js')).recoverWebhook,
    },
  ],
};
