/** Injection tokens for dependencies that are not instances of a class of this project. */
export const POOL = Symbol('pg pool');
export const LOGGER = Symbol('logger');
