import { describe, expect, it } from '@jest/globals';
import { MasterKeys } from './master-keys.js';

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

describe('master keys', () => {
  it('wrap with the first key and unwrap with the key that wrapped', () => {
    const old = MasterKeys.parse(key('k1', 1)).wrap(Buffer.from('secret'), 'b');
    const keys = MasterKeys.parse(`${key('k2', 2)},${key('k1', 1)}`);
    expect(keys.wrap(Buffer.from('x'), 'b').master_key_id).toBe('k2');
    expect(keys.unwrap(old.master_key_id, old.wrapped, 'b').toString()).toBe('secret');
  });

  it('do not unwrap with another binding, another key or an unknown key id', () => {
    const keys = MasterKeys.parse(key('k1', 1));
    const { wrapped } = keys.wrap(Buffer.from('secret'), 'b');
    expect(() => keys.unwrap('k1', wrapped, 'other')).toThrow();
    expect(() => keys.unwrap('k9', wrapped, 'b')).toThrow(/"k9" is not in MASTER_KEY/);
    expect(() => MasterKeys.parse(key('k1', 2)).unwrap('k1', wrapped, 'b')).toThrow();
  });

  it.each(['', 'k1', 'k1:AAAA', 'k1:not base64!', `${key('k1', 1)},${key('k1', 2)}`])('refuse the setting %j', (setting) => {
    expect(() => MasterKeys.parse(setting)).toThrow();
  });
});
