import { type Scenario } from '../bench.js';
import { lookups } from './lookups.js';
import { lookups100 } from './lookups-100.js';
import { reports } from './reports.js';

/** In the order of the table; those that share a world lie side by side. */
export const scenarios: readonly Scenario[] = [lookups, lookups100, reports];
