import { type Group } from '../group.js';

export const prices: Group = {
  name: 'prices',
  description: 'show and publish the price book',
  commands: [
    {
      name: 'history',
      description: 'list every version of the price book with its times, actor, rate of VAT and fees',
      load: async () => (await import('./history.js')).priceHistory,
    },
    {
      name: 'publish',
      description: 'publish a complete price book, at once or at a time; if fees and VAT are those in force, nothing changes',
      load: async () => (await import('./publish.js')).publishPrices,
    },
    {
      name: 'cancel',
      description: 'cancel the price book that is scheduled',
      load: async () => (await import('./cancel-scheduled.js')).cancelScheduledPrices,
    },
  ],
};
