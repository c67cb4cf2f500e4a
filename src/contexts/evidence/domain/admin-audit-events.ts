/** The person or token that made a call. `fingerprint` identifies the token without revealing it. */
export interface Administrator {
  readonly role: 'admin' | 'auditor' | 'cli';
  /** The token's name, if it has one, or the operating system's user who ran a command. */
  readonly name: string | null;
  readonly fingerprint: string | null;
}

/** A call as it is recorded: without body and query, which may be personal. Rupa IDs are pseudonyms. */
export interface RecordedAdminCall extends Administrator {
  /** The same in both events of a call. Events of earlier releases have none and are paired by `$correlationId`. */
  readonly call_id?: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  /** The caller's IP address; null on the command line. */
  readonly address: string | null;
  /** The HTTP method, or `RUN` on the command line. */
  readonly method: string;
  /** The route template, or the name of the command. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * Why an administrator read personal data, in the administrator's words. It is not encrypted: it must stay readable after the farmer is
   * erased (docs/security.md). Calls without a reason, and those of releases up to 0.1, have none.
   */
  readonly reason?: string;
}

export type AdminAuditEvent =
  /** Recorded before a call that may change something is executed. */
  | { readonly type: 'AdminCallBegun'; readonly data: RecordedAdminCall }
  /** `status` is the HTTP status or a command's exit status. The events that the call caused have the same `$correlationId`. */
  | { readonly type: 'AdminCallEnded'; readonly data: RecordedAdminCall & { readonly status: number } };
