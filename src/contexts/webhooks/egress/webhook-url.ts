import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** Longest URL of an endpoint, in characters. */
export const MAX_URL = 2_048;

export interface UrlRules {
  readonly httpsOnly: boolean;
  /** Lifts every rule about hosts and addresses. */
  readonly allowPrivateNetworks: boolean;
  /** Lifts the rule about ports. */
  readonly allowAnyPort?: boolean;
}

export type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  /** `reason` continues a sentence that begins with the field's name. It contains no part of the URL, which may hold credentials. */
  | { readonly ok: false; readonly code: 'url_refused' | 'address_refused'; readonly reason: string };

const PRIVATE_TOP_LEVELS: readonly (string | undefined)[] = ['localhost', 'local', 'internal'];

/** Checks a URL and removes its fragment. The addresses of a host name are checked when connecting, because they can change. */
export function checkUrl(text: string, rules: UrlRules): CheckedUrl {
  if (text.length > MAX_URL) return tooLong();
  const url = URL.parse(text);
  if (url === null) return refused('must be a valid URL');
  if (url.protocol !== 'https:' && (rules.httpsOnly || url.protocol !== 'http:')) {
    return refused(`must begin with ${rules.httpsOnly ? 'https://' : 'https:// or http://'}`);
  }
  if (url.username !== '' || url.password !== '') return refused('must not contain a user name or a password');
  url.hash = '';
  if (url.href.length > MAX_URL) return tooLong();
  if (!isAllowedPort(url, rules)) return refused(`must use port 443${rules.httpsOnly ? '' : ', 80'} or one from 1024`);
  if (!rules.allowPrivateNetworks && !isPublicHost(url.hostname)) {
    return { ok: false, code: 'address_refused', reason: 'must name a host that is reachable from the public internet' };
  }
  return { ok: true, url };
}

/** Most ports below 1024 belong to services other than HTTP, such as SSH and SMTP (decisions, "Webhooks"). */
function isAllowedPort({ port, protocol }: URL, { httpsOnly, allowAnyPort = false }: UrlRules): boolean {
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  if (allowAnyPort) return number > 0;
  return number >= 1024 || number === 443 || (number === 80 && !httpsOnly);
}

/** Expects a host name normalized by URL: every notation of an IPv4 address is in dotted decimal, and names are lower-case ASCII. */
function isPublicHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return isPublicAddress(literal);
  const labels = hostname.replace(/\.$/, '').split('.');
  return labels.length > 1 && !labels.includes('') && !PRIVATE_TOP_LEVELS.includes(labels.at(-1));
}

function tooLong(): CheckedUrl {
  return refused(`must not be greater than ${MAX_URL} characters`);
}

function refused(reason: string): CheckedUrl {
  return { ok: false, code: 'url_refused', reason };
}
