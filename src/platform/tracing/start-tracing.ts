import { traceWith } from './spans.js';

const FLUSH_PATIENCE_MS = 2_000;

export interface TracingOptions {
  readonly enabled: boolean;
  /** Share of the traces that begin in this service and are kept, from 0 to 1. */
  readonly ratio: number;
  readonly exportEveryMs: number;
}

export interface Tracing {
  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void>;
}

/**
 * Sends this thread's spans where OTEL_EXPORTER_OTLP_ENDPOINT says (OTLP over HTTP, JSON). The SDK is loaded only then. Callers' traces
 * are gone on with, but it is never a caller who decides that one is kept: OTEL_TRACES_SAMPLER_ARG does.
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
  traceWith(provider.getTracer('rupa'));
  return {
    stop: async () => {
      traceWith(undefined);
      const patience = new Promise((resolve) => setTimeout(resolve, FLUSH_PATIENCE_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), patience]);
      context.disable();
      trace.disable();
    },
  };
}
