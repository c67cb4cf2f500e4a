import { endToEnd, integration, simulation, unit } from './test/tiers/projects.js';

/** `npm test`. The other tiers have a file each in test/tiers. */
export default {
  // Jest leaves a core to itself; while these tests wait for servers, it has nothing to do.
  maxWorkers: '100%',
  projects: [unit, simulation, integration, endToEnd],
};
