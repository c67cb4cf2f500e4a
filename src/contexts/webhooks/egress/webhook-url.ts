import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

export interface UrlRules {
  readonly httpsOnly: boolean;
  /** Lifts every rule about hosts and addresses, and the one about ports from 1024. */
  readonly allowPrivateNetworks: boolean;
  /** Lifts the rule about ports from 1024. */
  readonly allowAnyPort?: boolean;
}

export type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  /** `reason` continues a sentence that begins with the field's name. It contains no part of the URL, which may hold credentials. */
  | { readonly ok: false; readonly code: 'url_refused' | 'address_refused'; readonly reason: string };

const CHARACTERS_MAX = 2048;
const PRIVATE_TOP_LEVELS: readonly (string | undefined)[] = ['localhost', 'local', 'internal'];

/** Checks a URL and removes its fragment. The addresses of a host name are checked when connecting, because they can change. */
export function checkUrl(text: string, rules: UrlRules): CheckedUrl {
  if (text.length > CHARACTERS_MAX) return tooLong();
  const url = URL.parse(text);
  if (url === null) return refused('must be a valid URL');
  if (url.protocol !== 'https:' && (rules.httpsOnly || url.protocol !== 'http:')) {
    return refused(`must begin with ${rules.httpsOnly ? 'https://' : 'https:// or http://'}`);
  }
  if (url.username !== '' || url.password !== '') return refused('must not contain a user name or a password');
  url.hash = '';
  if (url.href.length > CHARACTERS_MAX) return tooLong();
  const anyPort = rules.allowPrivateNetworks || rules.allowAnyPort === true;
  if (url.port !== '' && !(anyPort && Number(url.port) >= 1024)) {
    return refused(`must use the default port${anyPort ? ' or one from 1024' : ''}`);
  }
  if (!rules.allowPrivateNetworks && !isPublicHost(url.hostname)) {
    return { ok: false, code: 'address_refused', reason: 'must name a host that is reachable from the public internet' };
  }
  return { ok: true, url };
}

/** Expects a host name normalized by URL: every notation of an IPv4 address is in dotted decimal, and names are lower-case ASCII. */
function isPublicHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return isPublicAddress(literal);
  const labels = hostname.replace(/\.$/, '').split('.');
  return labels.length > 1 && !labels.includes('') && !PRIVATE_TOP_LEVELS.includes(labels.at(-1));
}

function tooLong(): CheckedUrl {
  return refused(`must not be greater than ${CHARACTERS_MAX} characters`);
}

function refused(reason: string): CheckedUrl {
  return { ok: false, code: 'url_refused', reason };
}
