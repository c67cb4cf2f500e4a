import { type ErrorCode, ERRORS } from './errors/error-codes.js';

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
  readonly data?: object;
}

export function success<T extends object>(data: T, message?: string): Success<T> {
  return { success: true, ...(message === undefined ? {} : { message }), data };
}

/** Returns the JSON of {@link success} for data that are already JSON. */
export function successJson(data: string): string {
  return `{"success":true,"data":${data}}`;
}

/** Returns the envelope of an error. @param message replaces the code's message */
export function failure(code: ErrorCode, message: string = ERRORS[code].message, data?: object): Failure {
  return { success: false, message, code, ...(data === undefined ? {} : { data }) };
}
