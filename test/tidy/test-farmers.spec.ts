import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { TEST_FARMERS as NAMED_BY_SDK } from '../../sdk/src/test-farmers.js';
import { TEST_FARMERS } from '../../src/contexts/farmers/domain/test-farmers/definitions.js';

describe('the test farmers', () => {
  const documented = TEST_FARMERS.map(({ rupa_id, description }) => ({ rupa_id, description }));

  it('are those of the guide for partners, with their descriptions', () => {
    const rows = readFileSync('docs/partners/sandbox.md', 'utf8').matchAll(/^\| `(rp-test-[^`]+)` +\| (.*?) +\|$/gm);
    expect([...rows].map(([, rupa_id, description]) => ({ rupa_id, description }))).toStrictEqual(documented);
  });

  it('are those that the SDK names', () => {
    expect(Object.values(NAMED_BY_SDK)).toStrictEqual(TEST_FARMERS.map(({ rupa_id }) => rupa_id));
  });
});
