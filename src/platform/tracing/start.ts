import { type Settings } from '../../app/settings.js';
import { traceWith } from './spans.js';

const FLUSH_PATIENCE_MS = 2_000;

export interface Tracing {
  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void>;
}

/**
 * Sends this thread's spans where OTEL_EXPORTER_OTLP_ENDPOINT says (OTLP over HTTP, JSON). The SDK is loaded only then. Callers' traces
 * are gone on with, but it is never a caller who decides that one is kept: OTEL_TRACES_SAMPLER_ARG does.
 */
export async function startTracing({ tracing }: Pick<Settings, 'tracing'>, thread: string): Promise<Tracing> {
  if (!tracing.enabled) return { stop: () => Promise.resolve() };
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
  const root = new sdk.TraceIdRatioBasedSampler(tracing.ratio);
  const provider = new sdk.TracerProvider({
    resource,
    sampler: new sdk.ParentBasedSampler({ root, remoteParentSampled: root }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: tracing.exportEveryMs })],
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
