interface Recorded {
  readonly key_id: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

/** The facts of a new key. The key itself is in no event. */
export interface IssuedApiKey {
  /** SHA-256 of the key, in hex. */
  readonly key_hash: string;
  readonly label: string | null;
  readonly partner_id: string | null;
  /** The first 15 characters of the key. Keys that were issued before 2026-12 lack it and `last_four`. */
  readonly prefix?: string;
  readonly last_four?: string;
  /** The key that the partner replaced by this one; absent for a key that an administrator issued. */
  readonly rotated_from?: string;
}

export type ApiKeyEvent =
  | {
      readonly type: 'ApiKeyIssued';
      readonly data: Recorded & IssuedApiKey;
    }
  | { readonly type: 'ApiKeyLinked'; readonly data: Recorded & { readonly partner_id: string } }
  /** From `expires_at` on (ISO 8601, UTC) the key is refused. A later event of the same key names an earlier time. */
  | { readonly type: 'ApiKeyExpirySet'; readonly data: Recorded & { readonly expires_at: string } }
  | { readonly type: 'ApiKeyDeactivated'; readonly data: Recorded };
