import { type ErrorCode, ERRORS, PARTNER_ERRORS } from './errors/error-codes.js';

/** The media type of responses. */
export const ENVELOPE_TYPE = 'application/json; charset=utf-8';

/** The response envelope of a success (interface, section 2.1). */
export interface Success<T extends object> {
  readonly success: true;
  readonly message?: string;
  readonly data: T;
}

export interface Failure {
  readonly success: false;
  readonly message: string;
  readonly code: ErrorCode;
  /** Address of what the guides say about the code. Codes of administrators' calls alone have none. */
  readonly doc_url?: string;
  readonly data?: object;
}

export function success<T extends object>(data: T, message?: string): Success<T> {
  return { success: true, ...(message === undefined ? {} : { message }), data };
}

/** Returns the JSON of {@link success} for data that are already JSON. */
export function successJson(data: string): string {
  return `{"success":true,"data":${data}}`;
}

/** Makes the envelopes of errors (decisions, "Error codes"). */
export class Failures {
  private readonly guide: string;

  /** @param publicUrl base URL of the service, which serves the guide that `doc_url` leads to */
  constructor(publicUrl: string) {
    this.guide = `${publicUrl.replace(/\/$/, '')}/docs/guides/errors`;
  }

  /** Returns the envelope of an error. @param message replaces the code's message */
  of(code: ErrorCode, message: string = ERRORS[code].message, data?: object): Failure {
    const page = code in PARTNER_ERRORS ? { doc_url: `${this.guide}#${code}` } : {};
    return { success: false, message, code, ...page, ...(data === undefined ? {} : { data }) };
  }
}
