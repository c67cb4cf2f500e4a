import { type PartnerContext } from './partner-context.js';

/** Whose an API key is. `malformed`: it cannot be a key at all; `unknown`: never issued, or deactivated. */
export type ApiKeyHolder =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unlinked' }
  | { readonly kind: 'partner'; readonly partner: PartnerContext };

/** Tells whose a key is; a context implements it. */
export abstract class ApiKeyHolders {
  abstract holderOf(key: string): Promise<ApiKeyHolder>;
}
