/** The calls that the service allows, by the `RateLimit` headers of a response. */
export interface RateLimit {
  /** Calls allowed in a window. */
  readonly limit: number;
  /** Calls left in the current window. */
  readonly remaining: number;
  /** Milliseconds until the next window begins. */
  readonly resetMs: number;
}

/** The facts about a response that its data does not hold. */
export interface LastResponse {
  readonly status: number;
  /** The `X-Request-Id`, by which the provider finds the call. */
  readonly requestId: string | null;
  /** Whether it is the stored response of an earlier request with the same Idempotency-Key. A lookup is then not charged again. */
  readonly isReplayed: boolean;
  /** Null if the response states no limit. */
  readonly rateLimit: RateLimit | null;
}

/**
 * A result with the response that it came from. `lastResponse` is not enumerable: `JSON.stringify`, spreading and comparing the result leave it
 * out.
 */
export type WithResponse<Result> = Result & { readonly lastResponse: LastResponse };

export function withResponse<Result extends object>(result: Result, lastResponse: LastResponse): WithResponse<Result> {
  return Object.defineProperty(result, 'lastResponse', { value: lastResponse }) as WithResponse<Result>;
}

export function lastResponseOf({ status, headers }: Response): LastResponse {
  return {
    status,
    requestId: headers.get('X-Request-Id'),
    isReplayed: headers.get('Idempotent-Replayed') === 'true',
    rateLimit: rateLimitOf(headers),
  };
}

function rateLimitOf(headers: Headers): RateLimit | null {
  const [limit, remaining, seconds] = ['Limit', 'Remaining', 'Reset'].map((name) => wholeNumber(headers.get(`RateLimit-${name}`)));
  if (limit === undefined || remaining === undefined || seconds === undefined) return null;
  return { limit, remaining, resetMs: seconds * 1_000 };
}

function wholeNumber(value: string | null): number | undefined {
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
