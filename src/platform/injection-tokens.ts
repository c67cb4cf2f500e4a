/** Injection tokens for what has no class of its own. */
export const POOL = Symbol('pg pool');
export const LOGGER = Symbol('logger');
