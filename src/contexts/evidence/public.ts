/** The part of the evidence context that other contexts may import. */
export { AS_OF_INDEX, LogIndex, LogIndexReader } from './tree/log-index.js';
