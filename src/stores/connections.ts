import { type Role } from '../settings/types.js';

/** Connections to PostgreSQL that serve calls: two pools, and single connections that listen or hold a lock. */
const SERVING = 26;
/** Connections of the background thread: a pool, and single connections that listen or hold a lock. */
const BACKGROUND = 12;

/** Returns how many connections to PostgreSQL a process with these roles opens at most (docs/operations.md, "Add processes"). */
export function connectionsOf(roles: readonly Role[]): number {
  const serves = roles.includes('api') || roles.includes('console');
  const works = roles.includes('projector') || roles.includes('webhooks');
  return (serves ? SERVING : 0) + (works ? BACKGROUND : 0);
}
