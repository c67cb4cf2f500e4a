import { type Scenario } from '../bench.js';
import { PARTNERS } from '../environment/lookup-environment.js';
import { compareLookups } from './lookups.js';

/** Compares lookups of many wallets: few requests can share an append, and the peer hardly waits for row locks. */
export const lookups100: Scenario = {
  name: 'lookups-100',
  description: 'billed lookups, 64 connections, 100 wallets, compared with the CRUD peer',
  takesEventStore: true,
  run: (bench) => compareLookups(bench, { partners: PARTNERS, label: `billed lookups, ${PARTNERS} wallets`, min: 1 }),
};
