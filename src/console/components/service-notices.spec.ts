import { describe, expect, it } from '@jest/globals';
import { partOf } from '../page.js';
import { ServiceNoticesPart } from './service-notices.js';

describe('the notice of a degraded service', () => {
  it('has every reason, and says what to do about those of a kind once', () => {
    const degradedBy = [
      { kind: 'read_model_faulted', reason: 'The projection partner is faulted.' },
      { kind: 'caches_deaf', reason: 'Caches hear nothing.' },
      { kind: 'read_model_faulted', reason: 'The projection wallet_entry is faulted.' },
    ] as const;
    const html = partOf(ServiceNoticesPart({ faults: [], degradedBy, maintenance: null }));
    expect(html.match(/<li>/g)).toHaveLength(2);
    expect(html).toContain('The projection partner is faulted. The projection wallet_entry is faulted. A faulted read model stopped');
    expect(html.match(/retry or rebuild it/g)).toHaveLength(1);
  });
});
