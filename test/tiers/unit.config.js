import { unit } from './projects.js';

/** Configures `npm run unit` with a single project, so that Jest treats a path after its options as a path and starts within a second. */
export default unit;
