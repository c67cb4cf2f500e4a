import { type Scenario } from '../bench.js';
import { compareLookups } from './lookups.js';

/** Compares lookups that wait for nobody: one at a time, each pays for its own query, message and append. */
export const lookupsAlone: Scenario = {
  name: 'lookups-1',
  description: 'billed lookups, one connection, one wallet, compared with both CRUD peers',
  takesEventStore: true,
  run: (bench) =>
    compareLookups(bench, {
      label: 'billed lookups, one connection',
      partners: 1,
      connections: 1,
      bare: { p50: { of: 'ratio', max: 1.4 } },
      audited: {},
    }),
};

export const lookups16: Scenario = {
  name: 'lookups-16',
  description: 'billed lookups, 16 connections, one wallet, compared with both CRUD peers',
  takesEventStore: true,
  run: (bench) =>
    compareLookups(bench, {
      label: 'billed lookups, 16 connections',
      partners: 1,
      connections: 16,
      bare: { perSecond: { of: 'ratio', min: 1.5 } },
      audited: {},
    }),
};
