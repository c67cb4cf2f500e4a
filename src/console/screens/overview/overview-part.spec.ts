import { describe, expect, it } from '@jest/globals';
import { type FigureTotal } from '../../../contexts/figures/figures.dto.js';
import { type WatchedEndpoint } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { partOf } from '../../page.js';
import { OverviewPart } from './overview-part.js';

const NOTHING: FigureTotal = { lookups: 0, errors: 0, billed: 0, refunds: 0, delivered: 0, failed_deliveries: 0 };
const FIGURES = {
  period: 'hour',
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-03-01T01:00:00.000Z',
  total: NOTHING,
  since: NOTHING,
  step_seconds: 60,
  now: null,
  steps: [],
  processes: [],
} as const;

/** Returns the overview of a service with endpoints that fail since these times. */
const shown = (failing: readonly (string | null)[], next_cursor: string | null = null): string =>
  partOf(
    OverviewPart({
      state: { faults: [], degradedBy: [] },
      figures: FIGURES,
      failing: { endpoints: failing.map((failing_since) => ({ failing_since }) as WatchedEndpoint), next_cursor },
    }),
  ).replaceAll(/<[^>]+>/g, '');

describe('the overview', () => {
  it('says nothing of endpoints while none fails', () => {
    expect(shown([])).not.toContain('Webhook endpoints that fail');
  });

  it('says how many endpoints fail, and since when the first one does', () => {
    const text = shown(['2026-03-01T00:30:00.000Z', null, '2026-02-27T10:00:00.000Z']);
    expect(text).toContain('Webhook endpoints that fail: 3, the first since 2026-02-27 10:00:00 UTC.');
  });

  it('says that there may be more endpoints than it counts, or that all were disabled', () => {
    expect(shown([null], 'next')).toContain('Webhook endpoints that fail: 1 or more.');
  });

  it('leads from the refunds to what was given back yesterday and today', () => {
    const html = partOf(
      OverviewPart({ state: { faults: [], degradedBy: [] }, figures: FIGURES, failing: { endpoints: [], next_cursor: null } }),
    );
    expect(html).toContain('/console/books/revenue?from=2026-02-28&amp;to=2026-03-01&amp;by=day%2Cpartner');
  });
});
