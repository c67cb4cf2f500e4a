import { isSameDecimal } from './exact-decimal.js';

/** Stands for a number of a JSON text that JavaScript would change: 80000000000000.01 would become 80000000000000.02. */
export class InexactNumber {
  constructor(
    /** The number as it was sent. */
    readonly text: string,
  ) {}

  valueOf(): number {
    return Number(this.text);
  }
}

/** Matches where a number may have more than the 15 significant digits, or the exponent, that can make it inexact. Strings match, too. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE]/;

/**
 * Parses JSON. A number that would not be printed as it was sent becomes an {@link InexactNumber}, which validation refuses under the
 * field's name. `__proto__` is a key like any other. @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  // A reviver makes parsing several times slower, and few texts need it.
  if (!MAYBE_INEXACT.test(text)) return JSON.parse(text) as unknown;
  try {
    return parseWithSource(text, exactNumber);
  } catch (error) {
    // The reviver is called recursively, so it runs out of stack where JSON.parse alone does not. Validation refuses the depth.
    if (error instanceof RangeError) return JSON.parse(text) as unknown;
    throw error;
  }
}

/** Returns a text without the byte order mark that editors and exports put in front of UTF-8, which JSON does not allow there. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** TypeScript does not know yet that a reviver gets the source text of numbers. */
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

function exactNumber(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value !== 'number' || source === undefined || isSameDecimal(source, String(value)) ? value : new InexactNumber(source);
}

/** Returns a JSON line. Characters that some readers take for a line break are escaped, which does not change the meaning of the JSON. */
export function jsonLine(value: object): string {
  const escaped = (end: string): string => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value).replaceAll(/[\u0085\u2028\u2029]/g, escaped)}\n`;
}
