import { type LastResponse } from './last-response.js';

/** The class of every error of this package, except for a wrong argument, which is a TypeError. */
export class RupaError extends Error {
  override readonly name: string = 'RupaError';
  /**
   * The key of the POST that failed; undefined for other calls. Repeat the call with it and the same arguments, also after a restart: a lookup
   * that was charged is then not charged again.
   */
  readonly idempotencyKey?: string;
  /** The chunk that failed of `lookUpAll` and `reportAll`, from 0; undefined for other calls. */
  readonly chunk?: number;
  /** The response of the last attempt, also if it was cut off; undefined if none arrived. */
  readonly lastResponse?: LastResponse;
}

/** No response arrived: the connection failed, or ended early. A request that changes something may have been executed. */
export class RupaConnectionError extends RupaError {
  override readonly name = 'RupaConnectionError';
}

/** No complete response arrived within `timeoutMs`. A request that changes something may have been executed. */
export class RupaTimeoutError extends RupaError {
  override readonly name = 'RupaTimeoutError';
}

/** The response is not one of the service's interface. Something else may be listening at `baseUrl`. */
export class RupaUnexpectedResponseError extends RupaError {
  override readonly name = 'RupaUnexpectedResponseError';

  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export function withLastResponse<Failure extends RupaError>(error: Failure, lastResponse: LastResponse | undefined): Failure {
  return lastResponse ? Object.assign(error, { lastResponse }) : error;
}
