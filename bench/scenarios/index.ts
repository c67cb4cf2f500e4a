import { type Scenario } from '../bench.js';
import { coldWallet } from './cold-wallet.js';
import { eventStore } from './event-store.js';
import { farmers } from './farmers.js';
import { journal } from './journal.js';
import { lag } from './lag.js';
import { lookups } from './lookups.js';
import { lookups100 } from './lookups-100.js';
import { memory } from './memory.js';
import { rebuilding } from './rebuild.js';
import { reports } from './reports.js';
import { webhooks } from './webhooks.js';

/** In the order of the table; those that share a world lie side by side. */
export const scenarios: readonly Scenario[] = [
  lookups,
  lookups100,
  lag,
  farmers,
  reports,
  eventStore,
  journal,
  rebuilding,
  coldWallet,
  webhooks,
  memory,
];
