import { RupaError } from './rupa-error.js';

/** An error response as it was received. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly docUrl: string | null;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
}

/**
 * An error response of the service. Each code has a class of its own, such as `InsufficientBalanceError`. A code that this version does not
 * know has this class.
 */
export class RupaApiError extends RupaError {
  override readonly name: string = 'RupaApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The stable code, by which a program decides. The message is for people. */
  readonly code: string;
  /** The `data` of the response, such as `required_amount` and `shortfall` of `insufficient_balance`; empty if it had none. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Address of what the guides say about the code; null if the response had none. */
  readonly docUrl: string | null;
  /** The `X-Request-Id` of the response. The provider finds the call by it. */
  readonly requestId: string | null;
  /** Milliseconds to wait by the `Retry-After` of the response; null if it had none. */
  readonly retryAfterMs: number | null;

  constructor(response: ErrorResponse) {
    super(response.message);
    this.status = response.status;
    this.code = response.code;
    this.data = response.data;
    this.docUrl = response.docUrl;
    this.requestId = response.requestId;
    this.retryAfterMs = response.retryAfterMs;
  }

  /** The messages for each field of a request that failed validation, such as `{ rupa_id: ['The rupa id field is required.'] }`. */
  get fieldErrors(): Readonly<Record<string, readonly string[]>> {
    return (this.data.errors ?? {}) as Readonly<Record<string, readonly string[]>>;
  }
}
