import { userInfo } from 'node:os';
import { assertHolderName } from '../../http/authenticating/admin-tokens.js';
import { checked, text } from '../types.js';
import { noDefault, variable } from '../variable.js';

export const actor = variable('RUPA_ACTOR', {
  type: checked('name: a letter, then at most 31 letters, digits, dots, hyphens and underscores', assertHolderName),
  default: { words: 'the operating system’s user', value: systemUser },
  description:
    'Name under which the commands of `rupa` act. The log records `cli:` and this name as the actor of each change, and partners see it in exports of their wallets.',
});

export const token = variable('RUPA_TOKEN', {
  type: text('a token of ADMIN_TOKEN, without its name'),
  default: noDefault(),
  description:
    'Token of the person who runs a command of `rupa`, in place of RUPA_ACTOR: the log records `admin:` and the token’s name. A command that needs a second person is refused without one.',
  secret: true,
});

/** Returns the operating system's user name, or the user id if the system has no name for it. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
