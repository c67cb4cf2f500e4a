import { type Group } from '../group.js';

export const partners: Group = {
  name: 'partners',
  description: 'manage partners, their API keys and their credit',
  commands: [
    {
      name: 'list',
      description: 'list all partners with mode, status and balance',
      load: async () => (await import('./list.js')).listPartners,
    },
    {
      name: 'create',
      description: 'register a partner and print its id; the partner is pending until it is activated',
      load: async () => (await import('./create.js')).createPartner,
    },
    {
      name: 'activate',
      description: 'activate a partner, so that it can make lookups',
      load: async () => (await import('./status.js')).activatePartner,
    },
    {
      name: 'key',
      description: 'issue an API key and print it; it is not shown again',
      load: async () => (await import('./key.js')).issueKey,
    },
    {
      name: 'credit',
      description: 'credit a partner’s wallet and print the new balance',
      load: async () => (await import('./credit.js')).creditPartner,
    },
    {
      name: 'reverse',
      description: 'take back a credit, or a part of it, and print the new balance',
      load: async () => (await import('./reverse.js')).reverseCredit,
    },
    {
      name: 'payout',
      description: 'record that a balance, or a part of it, was paid out, and print the new balance',
      load: async () => (await import('./payout.js')).payOut,
    },
    {
      name: 'show',
      description: 'show a partner with its sections, allow-list, balance and compliance',
      load: async () => (await import('./show.js')).showPartner,
    },
    {
      name: 'details',
      description: 'show a partner’s name, customer number and legal details, or change them',
      load: async () => (await import('./details.js')).partnerDetails,
    },
    {
      name: 'deactivate',
      description: 'deactivate a partner: its status becomes pending, and it can make no lookups',
      load: async () => (await import('./status.js')).deactivatePartner,
    },
    {
      name: 'sections',
      description: 'replace the optional sections that a partner may read',
      load: async () => (await import('./sections.js')).setSections,
    },
    {
      name: 'allow-list',
      description: 'replace the addresses from which a partner may call',
      load: async () => (await import('./allow-list.js')).setAllowList,
    },
  ],
};
