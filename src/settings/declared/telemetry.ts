import { TRACE_ID } from '../../console/screens/lookups/trace-link.js';
import { LOG_LEVELS } from '../../platform/logging/logger.js';
import { flag, listenAddress, oneOf, share, url, wholeNumber } from '../types.js';
import { noDefault, Derived, variable } from '../variable.js';

export const metricsPort = variable('METRICS_PORT', {
  type: wholeNumber('port', 0, 65_535),
  default: noDefault('none: no metrics are served'),
  description: 'Port that serves GET /metrics for Prometheus. 0 chooses a free port.',
  productionAdvice: (value) =>
    value === undefined
      ? {
          status: 'warning',
          found: 'METRICS_PORT is not set, so no metrics are served',
          todo: 'Set METRICS_PORT and METRICS_HOST, and let Prometheus scrape them: without metrics no alert can fire (docs/alerts.md).',
        }
      : undefined,
});

export const metricsHost = variable('METRICS_HOST', {
  type: listenAddress,
  default: '127.0.0.1',
  description: 'Address that the metrics are served on.',
});

/** This variable and the next three are OpenTelemetry's own. Its exporter reads the endpoint itself. */
const endpoint = variable('OTEL_EXPORTER_OTLP_ENDPOINT', {
  type: url(['http:', 'https:']),
  default: noDefault('none: no traces'),
  description:
    'OTLP/HTTP endpoint that traces are sent to. OpenTelemetry’s other OTEL_EXPORTER_OTLP_… variables, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES apply, too.',
});

const sdkDisabled = variable('OTEL_SDK_DISABLED', {
  type: flag,
  default: 'false',
  description: 'With `true`, no traces are sent, even if an endpoint is set.',
});

export const tracingEnabled = new Derived([endpoint, sdkDisabled], (read) => read(endpoint) !== undefined && !read(sdkDisabled));

export const samplingRatio = variable('OTEL_TRACES_SAMPLER_ARG', {
  type: share,
  default: '1',
  description: 'Share of the traces that are sampled.',
});

export const exportEveryMs = variable('OTEL_BSP_SCHEDULE_DELAY', {
  type: wholeNumber('milliseconds', 1, 600_000),
  default: '5000',
  description: 'Interval between exports of traces.',
});

const FILLED = '0'.repeat(32);

const traceLink = url(['http:', 'https:'], (text) => URL.canParse(text.replaceAll(TRACE_ID, FILLED)))
  .refine((text) => text.includes(TRACE_ID), { error: `it must contain ${TRACE_ID}, where the id of a trace belongs` })
  .describe(`http:// or https:// URL with ${TRACE_ID}`);

export const consoleTraceUrl = variable('CONSOLE_TRACE_URL', {
  type: traceLink,
  default: noDefault('none: the console shows trace ids without a link'),
  description: `Address of a trace in your tracing system, such as https://tempo.example/trace/${TRACE_ID}. The console links lookups to it.`,
});

export const logLevel = variable('LOG_LEVEL', {
  type: oneOf(LOG_LEVELS),
  default: 'info',
  description: 'Minimum level of the log lines that are written. debug writes a line for every request.',
  productionAdvice: (value) =>
    value === 'debug' || value === 'trace'
      ? { status: 'warning', found: `LOG_LEVEL is ${value}`, todo: 'Set it to info: lines of a lower level cost time and disk space.' }
      : undefined,
});
