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
} from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent } from './traceparent.js';

/** An event's links name each trace once, and no more than exporters take. */
const LINKS_MAX = 128;

let tracer: Tracer | undefined;

/** Called once the SDK is there, and when it goes; without it every function here does nothing but what it was given to do. */
export function traceWith(given: Tracer | undefined): void {
  tracer = given;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** Nothing personal, and no ids of partners and farmers. */
  readonly attributes?: Attributes;
  /** A traceparent: the span belongs to that trace; null: it begins one of its own. Else to what is under way. */
  readonly parent?: string | null | undefined;
  /** Traceparents of what else it is done for. */
  readonly links?: readonly (string | undefined)[];
}

/** Runs `work` in a span of its own where traces are wanted. */
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

/** For what ends elsewhere than it begins; undefined where no traces are wanted. */
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

/** Of the span that is under way, for whoever carries it on. */
export function currentTraceparent(): string | undefined {
  const span = tracer ? trace.getActiveSpan()?.spanContext() : undefined;
  return span && formatTraceparent(span);
}

export function currentTraceId(): string | undefined {
  return tracer ? trace.getActiveSpan()?.spanContext().traceId : undefined;
}

/** The error's name alone: its text may hold what was sent. */
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
