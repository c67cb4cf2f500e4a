import { type Scenario } from '../bench.js';
import { PARTNERS } from '../environment/lookup-environment.js';
import { compareLookups } from './lookups.js';

/** Compares lookups of many wallets: few requests can share an append, and the peers hardly wait for row locks. */
export const lookups100: Scenario = {
  name: 'lookups-100',
  description: 'billed lookups, 64 connections, 100 wallets, compared with both CRUD peers',
  takesEventStore: true,
  run: (bench) =>
    compareLookups(bench, {
      label: `billed lookups, ${PARTNERS} wallets`,
      partners: PARTNERS,
      bare: { perSecond: { of: 'ratio', min: 0.8 }, cpu: { of: 'ratio', max: 1.25 } },
      audited: { perSecond: { of: 'ratio', min: 1.3 }, p99: { of: 'ratio', max: 1 } },
    }),
};
