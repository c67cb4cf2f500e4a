import { randomBytes } from 'node:crypto';

const LONG_BYTES = 300_000;

/** Texts that PostgreSQL, its indexes or JSON may refuse, by description. Each call returns another long text, which cannot be compressed. */
export function oddTexts(): Readonly<Record<string, string>> {
  return {
    empty: '',
    blank: ' \t\n\r',
    'a NUL': '\0',
    'a NUL in between': 'a\0b',
    'the first half of a surrogate pair': 'a\ud83c',
    'the second half of a surrogate pair': '\udf3eb',
    'two halves in the wrong order': '\udf3e\ud83c',
    'an escaped NUL as text': '\\u0000',
    'the characters that COPY escapes': '\\N\\.\\\t\n\r',
    quotes: `'"\`$1`,
    'control and line separator characters': '\u0001\u001f\u007f\u0085\u2028\u2029\ufeff\uffff',
    'the name of a property of every object': 'constructor',
    'just too long for an index': '🌾'.repeat(257),
    'hundreds of kilobytes': randomBytes(LONG_BYTES).toString('base64').slice(0, LONG_BYTES),
    'hundreds of kilobytes that cannot be stored': `${randomBytes(LONG_BYTES).toString('latin1')}\ud83c`.slice(-LONG_BYTES / 2),
  };
}
