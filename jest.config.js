import { endToEnd, integration, simulation, unit } from './test/tiers/projects.js';

/** `npm test`. The other tiers have a file each in test/tiers. */
export default {
  projects: [unit, simulation, integration, endToEnd],
};
