import { describe, expect, it } from '@jest/globals';
import { traceLinkOf } from './trace-link.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the link to a trace', () => {
  it('has the id wherever the setting has its place, and nothing else changed', () => {
    expect(traceLinkOf('https://tempo.example/trace/{trace_id}?q={trace_id}#$&', TRACE)).toBe(
      `https://tempo.example/trace/${TRACE}?q=${TRACE}#$&`,
    );
  });

  it('is none without the setting', () => {
    expect(traceLinkOf(undefined, TRACE)).toBeUndefined();
  });
});
