import { type AdminRole } from './admin-tokens.js';

/** An administrator's call as recorded in the audit trail, without body and query, which may be personal. */
export interface AdminCall {
  /** Identifies the call in the audit trail. The service draws it, because a caller may choose the request id. */
  readonly call_id: string;
  readonly role: AdminRole;
  readonly name: string | null;
  readonly fingerprint: string;
  readonly address: string;
  readonly method: string;
  /** Template of the route. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why the caller read personal data; not on every call. */
  readonly reason?: string;
}

/** Records administrators' calls in the audit trail (docs/adr/0009). A context implements it. */
export abstract class AdminCallLog {
  /**
   * Records the start of a call that may change something, and resolves once the record is durable.
   * @throws StoreUnavailable if that takes too long
   */
  abstract begin(call: AdminCall, correlationId: string): Promise<void>;

  /** Records a call that only reads, and resolves once the record is durable. @throws StoreUnavailable if that takes too long */
  abstract end(call: AdminCall, status: number, correlationId: string): Promise<void>;

  /** Records, in the background, the end of a call whose start is recorded. */
  abstract endLater(call: AdminCall, status: number, correlationId: string): void;
}
