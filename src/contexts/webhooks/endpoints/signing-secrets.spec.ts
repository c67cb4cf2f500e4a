import { describe, expect, it } from '@jest/globals';
import { CachedSecrets, type SecretIds } from './signing-secrets.js';

const ids = (current: string, ...replaced: string[]): SecretIds => ({ current, replaced });

describe('the signing secrets that a sender caches', () => {
  it('are read once per endpoint and list of secret ids', async () => {
    const reads: string[] = [];
    const secrets = new CachedSecrets({
      read: async (endpointId, { current, replaced }) =>
        await Promise.resolve([current, ...replaced].map((id) => (reads.push(`${endpointId}/${id}`), `whsec_${id}`))),
    });
    expect(await Promise.all([secrets.read(1, ids('a')), secrets.read(1, ids('a')), secrets.read(2, ids('a'))])).toStrictEqual([
      ['whsec_a'],
      ['whsec_a'],
      ['whsec_a'],
    ]);
    expect(await secrets.read(1, ids('b', 'a'))).toStrictEqual(['whsec_b', 'whsec_a']);
    expect(reads).toStrictEqual(['1/a', '2/a', '1/b', '1/a']);
  });

  it('are read again after a failed read', async () => {
    let failing = true;
    const secrets = new CachedSecrets({
      read: async () => await (failing ? Promise.reject(new Error('gone')) : Promise.resolve(['whsec_a'])),
    });
    await expect(secrets.read(1, ids('a'))).rejects.toThrow('gone');
    failing = false;
    expect(await secrets.read(1, ids('a'))).toStrictEqual(['whsec_a']);
  });
});
