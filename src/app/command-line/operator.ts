import { type Administrator } from '../../contexts/evidence/domain/admin-audit-events.js';
import { AdminTokens } from '../../http/authenticating/admin-tokens.js';
import { type Settings } from '../../settings/declaration.js';
import { type StoreAddresses } from '../../stores/stores.js';

/** The person who runs a command. */
export type Operator = Administrator & { readonly role: 'admin' | 'cli' };

/**
 * Returns the holder of RUPA_TOKEN, or without one the name that the environment says, which identifies nobody.
 * @throws Error if no administrator has that token
 */
export function operatorOf({ actor, token }: Pick<Settings, 'actor' | 'token'>, stores: StoreAddresses): Operator {
  if (token === undefined) return { role: 'cli', name: actor, fingerprint: null };
  const holder = new AdminTokens({ admin: stores.adminToken, auditor: stores.auditorToken }).holder(token);
  if (holder?.role !== 'admin')
    throw new Error('RUPA_TOKEN is wrong: it is no token of ADMIN_TOKEN. Set it to the token alone, without its name, or unset it.');
  return { ...holder, role: 'admin' };
}
