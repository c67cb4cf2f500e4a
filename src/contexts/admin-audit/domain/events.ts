/** Who: a role, a person's name where the token has one, and by which token, told by a fingerprint that opens nothing. */
export interface Administrator {
  readonly role: 'admin' | 'auditor' | 'cli';
  /** A token's name, or the operating system's name of who ran a command. */
  readonly name: string | null;
  readonly fingerprint: string | null;
}

/** What: no bodies, no queries, nothing personal; Rupa IDs are pseudonyms. */
export interface AdministratorsCall extends Administrator {
  /** The same in both events of a call. Events of earlier releases have none; their `$correlationId` pairs them. */
  readonly call_id?: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  /** Where from; null on the command line. */
  readonly address: string | null;
  /** An HTTP method; `RUN` on the command line. */
  readonly method: string;
  /** The route as a template, or the command's name. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export type AdminAuditEvent =
  /** Before a call that may change something is carried out. */
  | { readonly type: 'AdminCallBegun'; readonly data: AdministratorsCall }
  /** `status` is HTTP's, or the exit status of a command. Same `$correlationId` as its beginning and as the events that it caused. */
  | { readonly type: 'AdminCallEnded'; readonly data: AdministratorsCall & { readonly status: number } };
