import { z } from 'zod';
import { kindOf } from '../../contexts/accounting/domain/chart-of-accounts.js';
import { checked, listOf, shown } from '../types.js';
import { noDefault, variable } from '../variable.js';

const MAX_LENGTH = 255;

const line = checked(`text, at most ${MAX_LENGTH} characters in one line`, (text) => {
  if (text.length > MAX_LENGTH) throw new Error(`it must not be longer than ${MAX_LENGTH} characters`);
  if (/\p{Cc}/u.test(text)) throw new Error('it must be one line without control characters');
});

export const name = variable('ISSUER_NAME', {
  type: line,
  default: noDefault(),
  description: 'Name of the company that issues the statements.',
});

export const address = variable('ISSUER_ADDRESS', {
  type: line,
  default: noDefault(),
  description: 'Its address, as statements show it.',
});

export const taxId = variable('ISSUER_TAX_ID', {
  type: line,
  default: noDefault(),
  description: 'Its tax identification number, as statements show it.',
});

export const prefix = variable('ISSUER_PREFIX', {
  type: checked('1 to 16 letters and digits', (text) => {
    if (!/^[A-Za-z0-9]{1,16}$/.test(text)) throw new Error('it must be 1 to 16 letters and digits');
  }),
  default: 'RUPA',
  description: 'First part of the numbers of statements, such as `RUPA-202603-1001`. A month keeps the one with which it was closed.',
});

const MAX_CODE_LENGTH = 32;

/** The nominal code of an account in the accounting program that imports journals. */
type AccountCode = readonly [account: string, code: string];

export const accountCodes = variable('ACCOUNT_CODES', {
  type: listOf('`account=code`', z.string().transform(parseAccountCode)).superRefine((all, context) => {
    const repeated = all.find(([account], at) => all.findIndex(([other]) => other === account) !== at);
    if (repeated) context.addIssue(`it has two codes for the account ${repeated[0]}`);
  }),
  default: { words: 'none', value: (): readonly AccountCode[] => [] },
  description:
    'Nominal codes of the accounts in the accounting program that imports journals (docs/accounting.md), such as `cash_received=1200,revenue.identity=4000`.',
});

function parseAccountCode(entry: string, context: z.RefinementCtx): AccountCode {
  const [account = '', code = '', ...rest] = entry.split('=').map((part) => part.trim());
  if (rest.length === 0 && kindOf(account) !== null && code !== '' && code.length <= MAX_CODE_LENGTH && !/\p{Cc}/u.test(code))
    return [account, code];
  context.addIssue(
    `each part must be account=code with an account of the books and a code of at most ${MAX_CODE_LENGTH} characters, and ${shown(entry)} is not`,
  );
  return z.NEVER;
}
