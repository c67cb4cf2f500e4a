import { describe, expect, it } from '@jest/globals';
import { RememberedSecrets } from './signing-secrets.js';

describe('signing secrets that a sender remembers', () => {
  it('are read once for an endpoint and its secrets', async () => {
    const asked: string[] = [];
    const secrets = new RememberedSecrets({
      read: async (endpointId, ids) => await Promise.resolve(ids.map((id) => (asked.push(`${endpointId}/${id}`), `whsec_${id}`))),
    });
    expect(await Promise.all([secrets.read(1, ['a']), secrets.read(1, ['a']), secrets.read(2, ['a'])])).toStrictEqual([
      ['whsec_a'],
      ['whsec_a'],
      ['whsec_a'],
    ]);
    expect(await secrets.read(1, ['b', 'a'])).toStrictEqual(['whsec_b', 'whsec_a']);
    expect(asked).toStrictEqual(['1/a', '2/a', '1/b', '1/a']);
  });

  it('are asked for again where they could not be read', async () => {
    let failing = true;
    const secrets = new RememberedSecrets({
      read: async () => await (failing ? Promise.reject(new Error('gone')) : Promise.resolve(['whsec_a'])),
    });
    await expect(secrets.read(1, ['a'])).rejects.toThrow('gone');
    failing = false;
    expect(await secrets.read(1, ['a'])).toStrictEqual(['whsec_a']);
  });
});
