import { describe, expect, it } from '@jest/globals';
import { CachedSecrets } from './signing-secrets.js';

describe('the signing secrets that a sender caches', () => {
  it('are read once per endpoint and list of secret ids', async () => {
    const reads: string[] = [];
    const secrets = new CachedSecrets({
      read: async (endpointId, ids) => await Promise.resolve(ids.map((id) => (reads.push(`${endpointId}/${id}`), `whsec_${id}`))),
    });
    expect(await Promise.all([secrets.read(1, ['a']), secrets.read(1, ['a']), secrets.read(2, ['a'])])).toStrictEqual([
      ['whsec_a'],
      ['whsec_a'],
      ['whsec_a'],
    ]);
    expect(await secrets.read(1, ['b', 'a'])).toStrictEqual(['whsec_b', 'whsec_a']);
    expect(reads).toStrictEqual(['1/a', '2/a', '1/b', '1/a']);
  });

  it('are read again after a failed read', async () => {
    let failing = true;
    const secrets = new CachedSecrets({
      read: async () => await (failing ? Promise.reject(new Error('gone')) : Promise.resolve(['whsec_a'])),
    });
    await expect(secrets.read(1, ['a'])).rejects.toThrow('gone');
    failing = false;
    expect(await secrets.read(1, ['a'])).toStrictEqual(['whsec_a']);
  });
});
