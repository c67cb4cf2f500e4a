import { Rejection } from '../../platform/event-sourcing/decider.js';
import { type ErrorCode, ERRORS } from './error-codes.js';

/** The response to a command that was rejected. */
export interface RejectionResponse {
  readonly code: ErrorCode;
  /** Replaces the code's message. */
  readonly message?: string;
  readonly data?: (facts: Rejection['facts']) => object;
}

/** The response to each rejection code of a context. */
export type RejectionResponses<Code extends string> = Readonly<Record<Code, RejectionResponse>>;

/** Translates an error of the platform into a rejection of a context. */
export type Translation = (error: unknown) => Rejection | undefined;

/** The rejection codes of every context with their responses. app/ registers them; the error filter and the command line look them up. */
export class ErrorResponses {
  private readonly byCode = new Map<string, RejectionResponse>();

  constructor(
    tables: readonly RejectionResponses<string>[],
    private readonly translations: readonly Translation[] = [],
  ) {
    for (const [code, response] of tables.flatMap((table) => Object.entries(table))) {
      if (this.byCode.has(code)) throw new Error(`Two contexts register the rejection code ${code}.`);
      this.byCode.set(code, response);
    }
  }

  /** Returns undefined for an error that is not a rejection, and for a code that no context registered. Both are faults of the service. */
  to(error: unknown): { code: ErrorCode; message: string; data: object | undefined } | undefined {
    const rejection: Rejection | undefined = error instanceof Rejection ? (error as Rejection) : this.translated(error);
    const response = rejection && this.byCode.get(rejection.code);
    if (!response) return undefined;
    const { code, message = ERRORS[code].message, data } = response;
    return { code, message, data: data?.(rejection.facts) };
  }

  private translated(error: unknown): Rejection | undefined {
    for (const translate of this.translations) {
      const rejection = translate(error);
      if (rejection) return rejection;
    }
    return undefined;
  }
}
