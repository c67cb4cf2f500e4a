import { setTracer } from './spans.js';

const FLUSH_TIMEOUT_MS = 2_000;

export interface TracingOptions {
  readonly enabled: boolean;
  /** Share of traces that are kept, from 0 to 1. Traces that a caller did not sample are never kept. */

  readonly ratio: number;
  readonly exportEveryMs: number;
}

export interface Tracing {
  /** Sends the remaining spans, for two seconds at most. */
  stop(): Promise<void>;
}

/**
 * Sends this thread's spans to OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP, JSON). The SDK is loaded only if tracing is enabled. Spans
 * continue the traces of callers. A caller's sampled flag alone does not make the service keep a trace: OTEL_TRACES_SAMPLER_ARG decides.
 */
export async function startTracing({ enabled, ratio, exportEveryMs }: TracingOptions, thread: string): Promise<Tracing> {
  if (!enabled) return { stop: () => Promise.resolve() };
  const [{ context, trace }, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ]);
  const named = resources.resourceFromAttributes({ 'service.name': 'rupa-ledger', 'rupa.thread': thread });
  const resource = named.merge(
    resources.detectResources({ detectors: [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector] }),
  );
  const root = new sdk.TraceIdRatioBasedSampler(ratio);
  const provider = new sdk.TracerProvider({
    resource,
    sampler: new sdk.ParentBasedSampler({ root, remoteParentSampled: root }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: exportEveryMs })],
  });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  setTracer(provider.getTracer('rupa'));
  return {
    stop: async () => {
      setTracer(undefined);
      const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
      context.disable();
      trace.disable();
    },
  };
}
