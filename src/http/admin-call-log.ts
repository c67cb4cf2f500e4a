import { type AdminRole } from './admin-tokens.js';

/** A call of an administrator as the audit trail keeps it: no body, no query, nothing personal. */
export interface AdminCall {
  /** Identifies the call in the audit trail. The service draws it, because a caller may choose the request id. */
  readonly call_id: string;
  readonly role: AdminRole;
  readonly name: string | null;
  readonly fingerprint: string;
  readonly address: string;
  readonly method: string;
  /** The route as a template. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Where administrators' calls are recorded (docs/adr/0009); a context implements it. */
export abstract class AdminCallLog {
  /** Before anything is changed: resolves once the beginning is durable. @throws StoreUnavailable where that takes too long */
  abstract begin(call: AdminCall, correlationId: string): Promise<void>;

  /** For a call that changed nothing: resolves once it is durable. @throws StoreUnavailable where that takes too long */
  abstract end(call: AdminCall, status: number, correlationId: string): Promise<void>;

  /** For a call whose beginning is recorded: nobody waits. */
  abstract endLater(call: AdminCall, status: number, correlationId: string): void;
}
