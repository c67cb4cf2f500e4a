import { describe, expect, it } from '@jest/globals';
import { readSettings, SettingsInvalid } from '../read.js';

/** The public key in the example of https://c2sp.org/signed-note, as the key of two witnesses. */
const KEY = 'example.com/foo+7c264079+BOkyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const OTHER = 'example.com/bar+1216c404+BOkyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';

function sentence(WITNESSES: string): string {
  try {
    readSettings({ WITNESSES });
  } catch (error) {
    if (error instanceof SettingsInvalid) return error.message;
    throw error;
  }
  return '';
}

describe('WITNESSES', () => {
  it('has a name, a key and an address for each witness, and none by default', () => {
    expect(readSettings({}).witnesses).toStrictEqual([]);
    const text = `amina ${KEY} https://w.example/a/,\n  bode   ${OTHER} http://[::1]:7380`;
    expect(readSettings({ WITNESSES: text }).witnesses).toStrictEqual([
      { name: 'amina', key: KEY, url: 'https://w.example/a' },
      { name: 'bode', key: OTHER, url: 'http://[::1]:7380' },
    ]);
    for (const host of ['localhost:1', '127.0.0.1', '127.1.2.3:80/x']) expect(sentence(`a ${KEY} http://${host}`)).toBe('');
  });

  const PARTS = 'a witness is "NAME VKEY URL", with spaces between and commas between witnesses, and';
  const ADDRESS = `the address of "a" must be an https:// URL; http:// is allowed for this machine's loopback alone`;
  const TYPE = 'the key of "a" is not a verifier key of type 4: name+id+key, as the witness publishes it';

  it.each([
    ['no address', `a ${KEY}`, `${PARTS} "a" is not`],
    ['four parts', `a ${KEY} https://w.example more`, `${PARTS} "a" is not`],
    ['an empty entry', `a ${KEY} https://w.example,`, `${PARTS} "" is not`],
    ['a key of a log', 'a example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k https://w.example', TYPE],
    ['a key with another id', `a ${KEY.replace('+7', '+8')} https://w.example`, TYPE],
    ['an address elsewhere without TLS', `a ${KEY} http://w.example`, ADDRESS],
    ['an address that only begins like loopback', `a ${KEY} http://127.0.0.1.example`, ADDRESS],
    ['another protocol', `a ${KEY} ftp://localhost`, ADDRESS],
    ['no URL', `a ${KEY} w.example`, ADDRESS],
    ['a password', `a ${KEY} https://u:p@w.example`, 'the address of "a" must have no user, password, query or fragment'],
    ['a query', `a ${KEY} https://w.example/?x`, 'the address of "a" must have no user, password, query or fragment'],
    ['a name twice', `a ${KEY} https://w.example,a ${OTHER} https://w.example`, 'two witnesses have the same name: "a"'],
    ['a key twice', `a ${KEY} https://w.example,b ${KEY} https://w.example`, 'two witnesses have the same key: "b"'],
  ])('is refused at the start with %s', (_case, value, reason) => {
    expect(sentence(value)).toBe(`WITNESSES is wrong: ${reason}.`);
  });
});
