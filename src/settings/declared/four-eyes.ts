import { parseTokens } from '../../http/authenticating/admin-tokens.js';
import { parseNaira } from '../../kernel/money.js';
import { checked, mapped } from '../types.js';
import { noDefault, variable } from '../variable.js';
import { adminToken } from './stores.js';

export const approvalAbove = variable('APPROVAL_ABOVE', {
  type: mapped(
    checked('NGN with at most two decimals', (text) => {
      if (parseNaira(text) === undefined) throw new Error('it must be an amount in NGN with at most two decimals');
    }),
    (text) => parseNaira(text) as number,
  ),
  default: noDefault('none: nothing needs a second person'),
  description:
    'In live mode, credits, reversals, payouts, compensations and ledger entries of more than this need the approval of a second person, and so does every change of prices. An API records it in the log when it starts, and every process obeys what the log says.',
  conflict: (value, read) => {
    if (value === undefined) return undefined;
    const token = read(adminToken);
    return token !== undefined && parseTokens(token).every(({ name }) => name !== null)
      ? undefined
      : 'a second person is told by name, and a token of ADMIN_TOKEN has none. Name every one of them, such as ADMIN_TOKEN=amina:…,bode:…';
  },
});
