import { type Scenario } from '../bench.js';
import { apis } from './apis.js';
import { bulk } from './bulk.js';
import { checkpoint } from './checkpoint.js';
import { coldWallet } from './cold-wallet.js';
import { consoleScreens } from './console.js';
import { eventStore } from './event-store.js';
import { farmerReports } from './farmer-reports.js';
import { farmers } from './farmers.js';
import { footprint } from './footprint.js';
import { journal } from './journal.js';
import { lag } from './lag.js';
import { lists } from './lists.js';
import { lookups } from './lookups.js';
import { lookups100 } from './lookups-100.js';
import { lookups16, lookupsAlone } from './lookups-few.js';
import { memory } from './memory.js';
import { rebuilding } from './rebuild.js';
import { reports } from './reports.js';
import { walletExport } from './wallet-export.js';
import { webhooks } from './webhooks.js';

/** All scenarios in the order of the table. Scenarios that share a running service and peer follow each other. */
export const scenarios: readonly Scenario[] = [
  lookups,
  lookups100,
  lookupsAlone,
  lookups16,
  apis,
  lag,
  farmers,
  farmerReports,
  reports,
  bulk,
  eventStore,
  journal,
  rebuilding,
  coldWallet,
  checkpoint,
  walletExport,
  webhooks,
  consoleScreens,
  lists,
  memory,
  footprint,
];
