import { LOG_LEVELS } from '../../../platform/logging/logger.js';
import { flag, oneOf, share, text, url, wholeNumber } from '../types.js';
import { absent, Derived, variable } from '../variable.js';

export const metricsPort = variable('METRICS_PORT', {
  type: wholeNumber('port', 0, 65_535),
  default: absent('none: no metrics are served'),
  sentence: 'Serves GET /metrics for Prometheus, on a port of its own; 0 takes any that is free.',
});

export const metricsHost = variable('METRICS_HOST', {
  type: text('address'),
  default: '127.0.0.1',
  sentence: 'The address that metrics are served on.',
});

/** OpenTelemetry's own variable, like the next three; its exporter itself reads where the spans go. */
const endpoint = variable('OTEL_EXPORTER_OTLP_ENDPOINT', {
  type: url(['http:', 'https:']),
  default: absent('none: no traces'),
  sentence:
    'Where traces go, OTLP over HTTP. OpenTelemetry’s other OTEL_EXPORTER_OTLP_…, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES count as well.',
});

const sdkDisabled = variable('OTEL_SDK_DISABLED', {
  type: flag,
  default: 'false',
  sentence: 'Sends no traces, whatever the endpoint says.',
});

export const tracingEnabled = new Derived([endpoint, sdkDisabled], (read) => read(endpoint) !== undefined && !read(sdkDisabled));

export const samplingRatio = variable('OTEL_TRACES_SAMPLER_ARG', {
  type: share,
  default: '1',
  sentence: 'The share of the traces that are kept.',
});

export const exportEveryMs = variable('OTEL_BSP_SCHEDULE_DELAY', {
  type: wholeNumber('milliseconds', 1, 600_000),
  default: '5000',
  sentence: 'The time between exports of traces.',
});

export const logLevel = variable('LOG_LEVEL', {
  type: oneOf(LOG_LEVELS),
  default: 'info',
  sentence: 'How much is logged; debug logs a line for every request.',
  unfit: (value) =>
    value === 'debug' || value === 'trace'
      ? { status: 'warning', found: `LOG_LEVEL is ${value}`, todo: 'Set it to info: so much is logged that it costs time and disk.' }
      : undefined,
});
