import { describe, expect, it } from '@jest/globals';
import { TEST_FARMERS as DEFINED } from '../../src/contexts/farmers/domain/test-farmers/definitions.js';
import { TEST_FARMERS } from './index.js';

describe('the list of test farmers', () => {
  it('has those that the service defines', () => {
    expect(Object.values(TEST_FARMERS).toSorted()).toStrictEqual(DEFINED.map(({ rupa_id }) => rupa_id).toSorted());
  });
});
