import { type SpanContext, TraceFlags } from '@opentelemetry/api';

const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses a traceparent header of W3C Trace Context, version 00. Returns undefined for anything else. */
export function parseTraceparent(text: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = typeof text === 'string' ? (FORM.exec(text) ?? []) : [];
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`;
}
