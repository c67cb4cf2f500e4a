import { type Scenario } from '../bench.js';
import { PARTNERS } from '../world/lookup-world.js';
import { compareLookups } from './lookups.js';

/** Hardly anybody waits on the same wallet: there is little to share, and the peer has nothing to wait for. */
export const lookups100: Scenario = {
  name: 'lookups-100',
  what: 'billed lookups, 64 connections, 100 wallets, against the CRUD peer',
  run: (bench) => compareLookups(bench, { partners: PARTNERS, what: `billed lookups, ${PARTNERS} wallets`, least: 1 }),
};
