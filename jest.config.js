import { endToEnd, integration, simulation, unit } from './test/tiers/projects.js';

/** Configuration of `npm test`. The other tiers have a file each in test/tiers. */
export default {
  // By default Jest leaves one core free for itself. These tests mostly wait for servers, so it does not need that core.
  maxWorkers: '100%',
  projects: [unit, simulation, integration, endToEnd],
};
