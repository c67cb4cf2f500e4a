import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printable, printError, printLine, printText } from './output.js';
import { table } from './table.js';
import { writeToStdout } from './write-output.js';

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Generates what a partner or an operator may have stored: any text, with sequences that terminals act on. */
const stored = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]0;title\u0007',
        '\u009b31m',
        '\u202e',
        '\u2066',
        '\u200b',
        '\u{e0041}',
        '\r',
        '\n',
        '\u2028',
        '\u007f',
        '\b',
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

function captured(stream: NodeJS.WriteStream, isTTY: boolean): { text: () => string } {
  let text = '';
  Object.defineProperty(stream, 'isTTY', { value: isTTY, configurable: true });
  jest.spyOn(stream, 'write').mockImplementation((piece, ...rest: unknown[]) => {
    text += String(piece);
    const done = rest.find((each) => typeof each === 'function');
    if (done) (done as () => void)();
    return true;
  });
  return { text: () => text };
}

const terminals = [process.stdout, process.stderr].map((stream) => ({ stream, isTTY: Object.getOwnPropertyDescriptor(stream, 'isTTY') }));

afterEach(() => {
  jest.restoreAllMocks();
  for (const { stream, isTTY } of terminals) Object.defineProperty(stream, 'isTTY', isTTY ?? { value: undefined, configurable: true });
});

describe('text of the stores', () => {
  it('is printed without a character that a terminal acts on, on one line', () => {
    fc.assert(
      fc.property(stored, (text) => {
        expect(printable(text)).not.toMatch(UNSAFE);
        if (!UNSAFE.test(text)) expect(printable(text)).toBe(text);
      }),
    );
    expect(printable('a\u001b[31m\u202eb\n\u{e0041}é🌾')).toBe('a\\u001b[31m\\u202eb\\u000a\\udb40\\udc41é🌾');
  });

  it('stays in its cell of a table, whose other lines and columns do not move', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(stored, stored), { minLength: 1, maxLength: 4 }), (rows) => {
        const lines = table(['one', 'two'], rows).split('\n');
        // A line above, one with the head, one below it, one for each row and a last one.
        expect(lines).toHaveLength(rows.length + 4);
        for (const line of lines) expect(line).not.toMatch(UNSAFE);
      }),
    );
  });

  it.each([
    ['a line', process.stdout, printLine],
    ['an error', process.stderr, printError],
    ['a file on a terminal', process.stdout, printText],
  ] as const)('in %s keeps its line feeds alone', (_where, stream, print) => {
    fc.assert(
      fc.property(stored, (text) => {
        const { text: printed } = captured(stream, true);
        print(text);
        jest.restoreAllMocks();
        for (const line of printed().split('\n')) expect(line).not.toMatch(UNSAFE);
      }),
    );
  });

  it('as JSON is the same value, printed to a terminal or to a program', () => {
    fc.assert(
      fc.property(fc.jsonValue(), stored, (value, text) => {
        const { text: printed } = captured(process.stdout, false);
        printLine(JSON.stringify({ [text]: value, text }));
        jest.restoreAllMocks();
        expect(JSON.stringify(JSON.parse(printed()))).toBe(JSON.stringify({ [text]: value, text }));
      }),
    );
  });

  it('in a stream is escaped on a terminal, and unchanged for a program', async () => {
    const text = 'a\u001b[31m,b\r\nc\u202e\n';
    for (const [isTTY, expected] of [
      [true, 'a\\u001b[31m,b\nc\\u202e\n'],
      [false, text],
    ] as const) {
      const { text: printed } = captured(process.stdout, isTTY);
      expect(await writeToStdout(piecesOf(text))).toBe(true);
      jest.restoreAllMocks();
      expect(printed()).toBe(expected);
    }
  });

  it('is written to a terminal by these functions alone', () => {
    const files = readdirSync('src/cli', { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
    );
    expect(files.length).toBeGreaterThan(40);
    const direct = files.filter((file) => /process\.std(out|err)\.write\(|console\./.test(readFileSync(join('src/cli', file), 'utf8')));
    // generate-farmers is a program of its own, whose output is the farmers.
    expect(direct).toStrictEqual([join('demo', 'generate-farmers.ts'), join('support', 'output.ts')]);
  });
});

describe('a table on a terminal', () => {
  const rows = [
    ['0b2f6c1e-8a33-4b2e-8b7c-5f8f53a1c7d9', 'Savannah Bank of Northern and Southern Farmers', '1,250,000.00'],
    ['3e0f3a55-8a33-4b2e-8b7c-5f8f53a1c7d9', 'B', '3.00'],
  ];
  const drawn = (isTTY: boolean, columns: number): string[] => {
    captured(process.stdout, isTTY);
    const before = process.stdout.columns;
    process.stdout.columns = columns;
    try {
      return table(['id', 'company', 'balance'], rows, [2]).split('\n');
    } finally {
      process.stdout.columns = before;
      jest.restoreAllMocks();
    }
  };

  it('is as wide as its text if that fits', () => {
    expect(drawn(true, 120)).toStrictEqual(drawn(false, 10));
  });

  it('wraps its widest columns until it fits, and keeps every character', () => {
    fc.assert(
      fc.property(fc.integer({ min: 45, max: 100 }), (columns) => {
        const lines = drawn(true, columns);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
        const cells = lines.map((line) => line.split('│').map((cell) => cell.trim()));
        expect(cells.map((line) => line[1] ?? '').join('')).toBe(['id', ...rows.map(([id]) => id)].join(''));
        expect(lines.join('\n')).toContain('1,250,000.00');
      }),
    );
  });

  it('is wider than a terminal that is too narrow for any of its columns', () => {
    expect(Math.max(...drawn(true, 20).map(({ length }) => length))).toBe(38);
  });
});

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
