import { Refusal } from '../platform/event-sourcing/decider.js';

/** What a caller is told where a command was refused. */
export interface RefusalAnswer {
  readonly status: number;
  readonly message: string;
  readonly data?: (facts: Refusal['facts']) => object;
}

/** A context's codes, each with its answer. */
export type RefusalAnswers<Code extends string> = Readonly<Record<Code, RefusalAnswer>>;

/** An error that a context knows to be a refusal. */
export type Translation = (error: unknown) => Refusal | undefined;

/** The answers of every context: app/ registers them, the error filter and the command line ask. */
export class ErrorAnswers {
  private readonly byCode = new Map<string, RefusalAnswer>();

  constructor(
    tables: readonly RefusalAnswers<string>[],
    private readonly translations: readonly Translation[] = [],
  ) {
    for (const [code, answer] of tables.flatMap((table) => Object.entries(table))) {
      if (this.byCode.has(code)) throw new Error(`Two contexts answer the code ${code}.`);
      this.byCode.set(code, answer);
    }
  }

  /** undefined for an error that is no refusal, and for a code that no context registered: both are faults of ours. */
  to(error: unknown): { status: number; message: string; data: object | undefined } | undefined {
    const refusal: Refusal | undefined = error instanceof Refusal ? (error as Refusal) : this.translated(error);
    const answer = refusal && this.byCode.get(refusal.code);
    return answer && { status: answer.status, message: answer.message, data: answer.data?.(refusal.facts) };
  }

  private translated(error: unknown): Refusal | undefined {
    for (const translate of this.translations) {
      const refusal = translate(error);
      if (refusal) return refusal;
    }
    return undefined;
  }
}
