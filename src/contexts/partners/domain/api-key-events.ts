interface Recorded {
  readonly key_id: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

export type ApiKeyEvent =
  | {
      readonly type: 'ApiKeyIssued';
      /** `key_hash` is the SHA-256 of the key, in hex. The key itself is never stored. */
      readonly data: Recorded & { readonly key_hash: string; readonly label: string | null; readonly partner_id: string | null };
    }
  | { readonly type: 'ApiKeyLinked'; readonly data: Recorded & { readonly partner_id: string } }
  | { readonly type: 'ApiKeyDeactivated'; readonly data: Recorded };
