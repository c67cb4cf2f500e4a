import { unit } from './projects.js';

/** `npm run unit`: one project alone, so that Jest takes a path after its options for a path and starts within a second. */
export default unit;
