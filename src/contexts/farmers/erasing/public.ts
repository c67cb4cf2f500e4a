/** The public interface of the erasing context. */
export { Erasures } from './erasures.js';
