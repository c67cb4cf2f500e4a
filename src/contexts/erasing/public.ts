/** What other contexts may use of erasing. */
export { Erasures } from './erasures.js';
