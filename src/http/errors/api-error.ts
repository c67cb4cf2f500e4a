import { type ErrorCode, ERRORS } from './error-codes.js';

/** Becomes the error response of its code. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly data: object | undefined;
  readonly headers: Readonly<Record<string, string | number>>;

  /** @param details `message` replaces the code's message; `headers` are added to the response */
  constructor(
    readonly code: ErrorCode,
    {
      message = ERRORS[code].message,
      data,
      headers = {},
    }: { readonly message?: string; readonly data?: object; readonly headers?: Readonly<Record<string, string | number>> } = {},
  ) {
    super(message);
    this.data = data;
    this.headers = headers;
  }
}
