import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';

/** The administrator or auditor who is signed in. */
export interface Person extends TokenHolder {
  /** Text that identifies the session in the forms of its pages, so that no other site can submit them. */
  readonly csrf: string;
}

/** Returns the name that the pages show. */
export function nameOf({ role, name }: Pick<TokenHolder, 'role' | 'name'>): string {
  return name ?? (role === 'admin' ? 'Administrator' : 'Auditor');
}
