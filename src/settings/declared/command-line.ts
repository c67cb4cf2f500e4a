import { userInfo } from 'node:os';
import { assertHolderName } from '../../http/authenticating/admin-tokens.js';
import { checked } from '../types.js';
import { variable } from '../variable.js';

export const actor = variable('RUPA_ACTOR', {
  type: checked('name: a letter, then at most 31 letters, digits, dots, hyphens and underscores', assertHolderName),
  default: { words: 'the operating system’s user', value: systemUser },
  description:
    'Name under which the commands of `rupa` act. The log records `cli:` and this name as the actor of each change, and partners see it in exports of their wallets.',
});

/** Returns the operating system's user name, or the user id if the system has no name for it. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
