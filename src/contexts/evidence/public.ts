/** The part of the evidence context that other contexts may import. */
export { AS_OF_INDEX } from './tree/as-of-index.js';
export { LogIndex } from './tree/log-index.js';
