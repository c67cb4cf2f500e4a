import {
  type Attributes,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  TraceFlags,
} from '@opentelemetry/api';

/** Maximum number of links of a span, which is the default limit of OpenTelemetry. */
const LINKS_MAX = 128;

let tracer: Tracer | undefined;

/** Sets the tracer once the SDK is loaded, and unsets it before shutdown. Without a tracer, `inSpan` only runs its work. */
export function setTracer(given: Tracer | undefined): void {
  tracer = given;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** Attributes, which must not contain personal data or ids of partners and farmers. */
  readonly attributes?: Attributes;
  /** Traceparent of the parent span, or null for a new trace. By default, the active span is the parent. */
  readonly parent?: string | null | undefined;
  /** Traceparents of further spans that caused this work. */
  readonly links?: readonly (string | undefined)[];
}

/** Runs `work` in a span, if tracing is enabled. */
export async function inSpan<T>(name: string, options: () => SpanOptions, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  if (!tracer) return await work(undefined);
  const { kind = SpanKind.INTERNAL, attributes = {}, parent, links = [] } = options();
  const above = contextOf(parent);
  const span = tracer.startSpan(name, { kind, attributes, links: linksOf(links) }, above);
  try {
    return await context.with(trace.setSpan(above, span), work, undefined, span);
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

export interface OpenSpan {
  within(this: void, work: () => void): void;
  end(this: void, attributes: Attributes, failed: boolean): void;
}

/** Starts a span that is ended by another function; undefined if tracing is disabled. */
export function openSpan(name: string, { kind = SpanKind.INTERNAL, attributes = {}, parent }: SpanOptions): OpenSpan | undefined {
  if (!tracer) return undefined;
  const above = contextOf(parent);
  const span = tracer.startSpan(name, { kind, attributes }, above);
  return {
    within: (work) => {
      context.with(trace.setSpan(above, span), work);
    },
    end: (more, failed) => {
      span.setAttributes(more);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Returns the traceparent of the active span; undefined if there is none. */
export function currentTraceparent(): string | undefined {
  const span = tracer ? trace.getActiveSpan()?.spanContext() : undefined;
  return span && formatTraceparent(span);
}

export function currentTraceId(): string | undefined {
  return tracer ? trace.getActiveSpan()?.spanContext().traceId : undefined;
}

/** Marks the span as failed with the error's name only, because the message may quote personal data. */
function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function contextOf(parent: SpanOptions['parent']): ReturnType<typeof context.active> {
  if (parent === null) return ROOT_CONTEXT;
  const remote = parseTraceparent(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : context.active();
}

function linksOf(traceparents: readonly (string | undefined)[]): Link[] {
  const spans = new Map<string, SpanContext>();
  for (const traceparent of traceparents) {
    const span = parseTraceparent(traceparent);
    if (span && spans.size < LINKS_MAX) spans.set(span.spanId, span);
  }
  return [...spans.values()].map((each) => ({ context: each }));
}

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
