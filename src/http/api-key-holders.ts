import { type PartnerContext } from './partner-context.js';

/** The holder of an API key. `malformed`: the text does not have the form of a key; `unknown`: the key was never issued or is deactivated. */
export type ApiKeyHolder =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unlinked'; readonly key_id: string }
  | { readonly kind: 'partner'; readonly partner: PartnerContext };

/** Finds the holder of an API key. A context implements it. */
export abstract class ApiKeyHolders {
  abstract holderOf(key: string): Promise<ApiKeyHolder>;
}
