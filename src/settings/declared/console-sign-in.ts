import { checked, url } from '../types.js';
import { noDefault, type Read, variable } from '../variable.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const MAX_LENGTH = 255;

const word = checked('text without spaces', (text) => {
  if (text.length > MAX_LENGTH || !/^\S+$/.test(text)) throw new Error(`it must have 1 to ${MAX_LENGTH} characters, none of them a space`);
});

export const issuer = variable('CONSOLE_OIDC_ISSUER', {
  type: url(['https:', 'http:']),
  default: noDefault('none: people sign in with a token'),
  description: 'Issuer of the OpenID provider at which people sign in to the console (docs/console.md).',
  conflict: (value) =>
    value?.startsWith('http:') && !LOOPBACK.includes(new URL(value).hostname)
      ? 'an issuer that is not on this host must have an https:// address, because its responses decide who is an administrator'
      : undefined,
});

const withIssuer = (read: Read): boolean => read(issuer) !== undefined;
const withoutIssuer = (value: string | undefined, read: Read): string | undefined =>
  value !== undefined && read(issuer) === undefined ? 'CONSOLE_OIDC_ISSUER is not set. Set both or neither' : undefined;

export const clientId = variable('CONSOLE_OIDC_CLIENT_ID', {
  type: word,
  default: noDefault(),
  description: 'Id under which the provider knows the console. Register CONSOLE_URL/console/sign-in/callback as its redirect URI.',
  required: { when: withIssuer, example: 'rupa-console' },
  conflict: withoutIssuer,
});

export const clientSecret = variable('CONSOLE_OIDC_CLIENT_SECRET', {
  type: word,
  default: noDefault(),
  description: 'Secret of that client.',
  secret: true,
  required: { when: withIssuer, example: 'the secret that the provider shows' },
  conflict: withoutIssuer,
});

export const scope = variable('CONSOLE_OIDC_SCOPE', {
  type: checked('scopes, separated by spaces; openid is one of them', (text) => {
    if (!text.split(' ').includes('openid')) throw new Error('it must contain the scope openid');
  }),
  default: 'openid profile email',
  description: 'Scopes that the console asks for. Some providers need one more for the claim with the roles.',
});

export const rolesClaim = variable('CONSOLE_OIDC_ROLES_CLAIM', {
  type: word,
  default: 'roles',
  description: 'Claim with the person’s roles, a text or a list of texts. Dots lead into objects: realm_access.roles.',
});

export const adminRole = variable('CONSOLE_OIDC_ADMIN_ROLE', {
  type: word,
  default: 'rupa-admin',
  description: 'Role of administrators in that claim.',
});

export const auditorRole = variable('CONSOLE_OIDC_AUDITOR_ROLE', {
  type: word,
  default: 'rupa-auditor',
  description: 'Role of auditors in that claim. A person with both roles is an administrator.',
  conflict: (value, read) =>
    value === read(adminRole) ? 'it is that of CONSOLE_OIDC_ADMIN_ROLE, so every auditor would be an administrator' : undefined,
});
