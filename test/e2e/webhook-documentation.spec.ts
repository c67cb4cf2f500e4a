import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { generateSigningSecret, signatureHeaders } from '../../src/contexts/webhooks/domain/signature.js';

/** Runs the verification of X-Rupa-Signature in docs/partners/webhooks.md on the bytes of a real delivery, in every language that this machine has. */
const [, document = ''] = readFileSync('docs/partners/webhooks.md', 'utf8').split('### X-Rupa-Signature');
const block = (language: string): string =>
  [...document.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map(([, text = '']) => text)
    .find((text) => /is_?from_?rupa\(/i.test(text)) ?? '';

const secret = generateSigningSecret();
const body = '{"id":"e1","type":"farmer.loan_added","name":"Ọlá"}';
const signature = signatureHeaders({ id: 'e1', body, secrets: [secret], now: new Date() })['X-Rupa-Signature'] ?? '';
const cases = [
  [body, signature, secret, 'true'],
  [`${body} `, signature, secret, 'false'],
  [body, signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')), secret, 'false'],
  [body, '', secret, 'false'],
  [body, signature, generateSigningSecret(), 'false'],
] as const;

const programs: Readonly<Record<string, (...values: string[]) => [string, ...string[]]>> = {
  js: (...values) => [
    process.execPath,
    '--input-type=module',
    '-e',
    `${block('js')}\nconst [b, s, k] = process.argv.slice(1); console.log(isFromRupa(b, s, k));`,
    '--',
    ...values,
  ],
  python: (...values) => [
    'python3',
    '-c',
    `import sys\n${block('python')}\nb, s, k = sys.argv[1:]\nprint(str(is_from_rupa(b.encode(), s, k)).lower())`,
    ...values,
  ],
  php: (...values) => ['php', '-r', `${block('php')}\necho var_export(is_from_rupa($argv[1], $argv[2], $argv[3]), true);`, '--', ...values],
};

describe('the documented verification of signatures', () => {
  it.each(Object.keys(programs))('works in %s', (language) => {
    expect(block(language)).toMatch(/is_?from_?rupa/i);
    for (const [text, given, key, expected] of cases) {
      const [command, ...args] = programs[language]?.(text, given, key) ?? [''];
      const { stdout, error } = spawnSync(command, args, { encoding: 'utf8' });
      // Node is always installed; another language is skipped where it is missing.
      if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' && language !== 'js') return;
      expect([language, given, stdout.trim()]).toStrictEqual([language, given, expected]);
    }
  });
});
