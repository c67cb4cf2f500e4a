import { describe, expect, it } from '@jest/globals';
import { SECRETS, VARIABLES } from './declaration.js';
import { sentenceOfUnknown, unknownNames } from './unknown-names.js';

const sentences = (env: Record<string, string>): readonly string[] => unknownNames(env).map(sentenceOfUnknown);
const LONG = VARIABLES.map(({ name }) => name).filter((name) => name.length >= 8 && !name.startsWith('OTEL_'));

describe('a variable that is no setting', () => {
  it.each(LONG)('is named with the setting that is meant: %s with a letter missing, with two exchanged, and in small letters', (meant) => {
    const middle = Math.floor(meant.length / 2);
    const shorter = meant.slice(0, middle) + meant.slice(middle + 1);
    const [one = '', two = ''] = [meant[2], meant[3]];
    for (const name of [shorter, meant.slice(0, 2) + two + one + meant.slice(4), meant.toLowerCase()]) {
      const expected = name === meant ? [] : [`${name} is ignored, because it is not a setting. Did you mean ${meant}?`];
      expect(sentences({ [name]: '1' })).toStrictEqual(expected);
    }
  });

  it('is named with the file of the secret that is meant', () => {
    expect(sentences({ MASTERKEY_FILE: '/run/secrets/key' })).toStrictEqual([
      'MASTERKEY_FILE is ignored, because it is not a setting. Did you mean MASTER_KEY_FILE?',
    ]);
  });

  it('is named if it is to read a setting from a file that is no secret', () => {
    expect(sentences({ APPROVAL_ABOVE_FILE: '/run/secrets/amount', PORT_FILE: '/port' })).toStrictEqual([
      'APPROVAL_ABOVE_FILE is ignored: only secrets are read from files. Set APPROVAL_ABOVE to the value itself.',
      'PORT_FILE is ignored: only secrets are read from files. Set PORT to the value itself.',
    ]);
  });

  it('is not named if it is empty, far from each setting, or short', () => {
    const others = {
      HOME: '/',
      HOSTNAME: 'h',
      ROLE: 'x',
      PATH: '/bin',
      USER: 'u',
      PGHOST: 'h',
      OTEL_TRACES_SAMPLER: 'x',
      RUPA_PORT: 'tcp://10.0.0.1',
    };
    expect(sentences({ ...others, APROVAL_ABOVE: ' ' })).toStrictEqual([]);
  });

  it('is none of the settings and files', () => {
    const known = [...VARIABLES.map(({ name }) => name), ...SECRETS.map(({ name }) => `${name}_FILE`)];
    expect(unknownNames(Object.fromEntries(known.map((name) => [name, '1'])))).toStrictEqual([]);
  });
});
