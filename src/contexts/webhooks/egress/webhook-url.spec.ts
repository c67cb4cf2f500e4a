import { describe, expect, it } from '@jest/globals';
import { checkUrl, type UrlRules } from './webhook-url.js';

const STRICT: UrlRules = { httpsOnly: true, allowPrivateNetworks: false };
const HTTP: UrlRules = { ...STRICT, httpsOnly: false };
const ANY_PORT: UrlRules = { ...HTTP, allowAnyPort: true };
const PRIVATE: UrlRules = { ...HTTP, allowPrivateNetworks: true };

const HOST_REASON = 'must name a host that is reachable from the public internet';
const CREDENTIALS_REASON = 'must not contain a user name or a password';

/** Returns the normalized URL, or why it is refused. */
function check(text: string, rules: UrlRules): string {
  const checked = checkUrl(text, rules);
  return checked.ok ? checked.url.href : checked.reason;
}

describe('checkUrl', () => {
  it.each<[string, UrlRules, string]>([
    ['https://hooks.example.com/rupa?tenant=1', STRICT, 'https://hooks.example.com/rupa?tenant=1'],
    ['https://hooks.example.com:443', STRICT, 'https://hooks.example.com/'],
    ['HTTPS://HOOKS.Example.COM.', STRICT, 'https://hooks.example.com./'],
    ['https://bücher.example/ä', STRICT, 'https://xn--bcher-kva.example/%C3%A4'],
    ['https://hooks.example.com/a#secret', STRICT, 'https://hooks.example.com/a'],
    ['https://hooks.example.com/a#', STRICT, 'https://hooks.example.com/a'],
    ['https://8.8.8.8/', STRICT, 'https://8.8.8.8/'],
    ['https://[2606:4700:4700::1111]/', STRICT, 'https://[2606:4700:4700::1111]/'],
    ['https://[::ffff:8.8.8.8]/', STRICT, 'https://[::ffff:808:808]/'],
    ['https://localhost.example.com/', STRICT, 'https://localhost.example.com/'],
    ['http://hooks.example.com/', HTTP, 'http://hooks.example.com/'],
    ['http://hooks.example.com:80/', HTTP, 'http://hooks.example.com/'],
    ['https://hooks.example.com:8443/', STRICT, 'https://hooks.example.com:8443/'],
    ['https://hooks.example.com:1024/', STRICT, 'https://hooks.example.com:1024/'],
    ['https://hooks.example.com:65535/', STRICT, 'https://hooks.example.com:65535/'],
    ['https://hooks.example.com:80/', HTTP, 'https://hooks.example.com:80/'],
    ['http://hooks.example.com:443/', HTTP, 'http://hooks.example.com:443/'],
    ['http://hooks.example.com:8080/', HTTP, 'http://hooks.example.com:8080/'],
    ['https://hooks.example.com:22/', ANY_PORT, 'https://hooks.example.com:22/'],
    ['http://localhost:3000/', PRIVATE, 'http://localhost:3000/'],
    ['http://receiver:8080/', PRIVATE, 'http://receiver:8080/'],
    ['http://10.0.0.1/', PRIVATE, 'http://10.0.0.1/'],
    ['https://[::1]:8443/', PRIVATE, 'https://[::1]:8443/'],
  ])('accepts %s', (text, rules, href) => {
    expect(check(text, rules)).toBe(href);
  });

  it.each<[string, UrlRules, string]>([
    ['', STRICT, 'must be a valid URL'],
    ['hooks.example.com', STRICT, 'must be a valid URL'],
    ['https://', STRICT, 'must be a valid URL'],
    ['https://1.2.3.256/', STRICT, 'must be a valid URL'],
    ['https://[fe80::1%25eth0]/', PRIVATE, 'must be a valid URL'],
    ['https://hooks.example.com:65536/', ANY_PORT, 'must be a valid URL'],
    ['http://hooks.example.com/', STRICT, 'must begin with https://'],
    ['http://hooks.example.com:443/', STRICT, 'must begin with https://'],
    ['ftp://hooks.example.com/', HTTP, 'must begin with https:// or http://'],
    ['file:///etc/passwd', PRIVATE, 'must begin with https:// or http://'],
    ['javascript:alert(1)', PRIVATE, 'must begin with https:// or http://'],
    ['gopher://127.0.0.1:6379/_FLUSHALL', PRIVATE, 'must begin with https:// or http://'],
    ['https://user:password@hooks.example.com/', STRICT, CREDENTIALS_REASON],
    ['https://user@hooks.example.com/', STRICT, CREDENTIALS_REASON],
    ['https://:password@localhost/', PRIVATE, CREDENTIALS_REASON],
    ['https://hooks.example.com:80/', STRICT, 'must use port 443 or one from 1024'],
    ['https://hooks.example.com:1023/', STRICT, 'must use port 443 or one from 1024'],
    ['https://hooks.example.com:22/', HTTP, 'must use port 443, 80 or one from 1024'],
    ['http://localhost:25/', PRIVATE, 'must use port 443, 80 or one from 1024'],
    ['https://hooks.example.com:0/', ANY_PORT, 'must use port 443, 80 or one from 1024'],
  ])('refuses %s', (text, rules, reason) => {
    expect(checkUrl(text, rules)).toStrictEqual({ ok: false, code: 'url_refused', reason });
  });

  it('refuses a URL that is too long, or becomes too long when it is encoded', () => {
    const reason = 'must not be greater than 2048 characters';
    const stem = 'https://hooks.example.com/';
    expect(check(stem.padEnd(2048, 'x'), STRICT)).toHaveLength(2048);
    expect(check(stem.padEnd(2049, 'x'), STRICT)).toBe(reason);
    expect(check(stem.padEnd(1000, 'ä'), STRICT)).toBe(reason);
  });
});

describe('a URL whose host is not public', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'hooks.localhost',
    'hooks.localhost.',
    'printer.local',
    'metadata.google.internal',
    'metadata.google.internal.',
    'x.svc.cluster.local',
    'intranet',
    'intranet.',
    'com',
    'a..',
    'a..example.com',
    '.example.com',
    'localhost。',
    'ｌｏｃａｌｈｏｓｔ',
    '%6cocalhost',
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '0X7F.0.0.1',
    '017700000001',
    '0177.0.0.1',
    '2130706433',
    '0',
    '0x0',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[2001:db8::1]',
  ])('is refused for %s unless private networks are allowed', (host) => {
    const refused = { ok: false, code: 'address_refused', reason: HOST_REASON };
    expect(checkUrl(`https://${host}/`, STRICT)).toStrictEqual(refused);
    expect(checkUrl(`https://${host}:8443/`, ANY_PORT)).toStrictEqual(refused);
    expect(checkUrl(`https://${host}/`, PRIVATE)).toMatchObject({ ok: true });
  });

  it('is refused even if a user name, a path or a backslash disguises the host', () => {
    expect(check('https://hooks.example.com@127.0.0.1/', STRICT)).toBe(CREDENTIALS_REASON);
    expect(check('https://127.0.0.1\\@hooks.example.com/', STRICT)).toBe(HOST_REASON);
    expect(check('https:\\\\127.0.0.1/hooks.example.com', STRICT)).toBe(HOST_REASON);
    expect(check('https:127.0.0.1', STRICT)).toBe(HOST_REASON);
    expect(check(' ht\ntps://127.0.0.1/ ', STRICT)).toBe(HOST_REASON);
  });
});
