import { browser } from './projects.js';

/** Configures `npm run test:browser`: the console in Chromium. Without one, its tests are skipped. */
export default { maxWorkers: 2, projects: [browser] };
