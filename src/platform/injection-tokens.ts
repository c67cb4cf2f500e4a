/** Injection tokens for dependencies that are not instances of a class of this project. */
export const POOL = Symbol('pg pool');
/** The connections for calls that cost nothing (caller-pool.ts). Lookups, reports and authentication use the other pool. */
export const FREE_CALLS_POOL = Symbol('pg pool of free calls');
export const LOGGER = Symbol('logger');
