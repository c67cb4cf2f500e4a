import { type AdminRole } from '../../http/authenticating/admin-tokens.js';

export interface RoleNames {
  /** Claim with the roles. Dots lead into objects. */
  readonly rolesClaim: string;
  readonly adminRole: string;
  readonly auditorRole: string;
}

type Claims = Readonly<Record<string, unknown>>;

const MAX_NAME_LENGTH = 100;

/** Returns the role that the claims give a person; undefined if they give none. */
export function claimedRole(claims: Claims, { rolesClaim, adminRole, auditorRole }: RoleNames): AdminRole | undefined {
  const claim = claims[rolesClaim] ?? rolesClaim.split('.').reduce<unknown>(within, claims);
  const roles: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  if (roles.includes(adminRole)) return 'admin';
  return roles.includes(auditorRole) ? 'auditor' : undefined;
}

/**
 * Returns the name under which the audit trail records a person. It contains "@", which no token's name does, so nobody can pass for the
 * holder of a token.
 */
export function displayName(claims: Claims, provider: string): string {
  const { preferred_username: username, email, sub } = claims;
  const [name = ''] = [username, email, sub].filter((each) => typeof each === 'string' && each.trim() !== '') as string[];
  const safe = name
    .trim()
    .replaceAll(/[^\p{L}\p{N}@._+-]/gu, '_')
    .slice(0, MAX_NAME_LENGTH);
  return safe.includes('@') ? safe : `${safe}@${provider.replaceAll(':', '_')}`;
}

function within(value: unknown, part: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, part) ? (value as Claims)[part] : undefined;
}
