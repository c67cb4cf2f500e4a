import { startApplication } from './application.js';
import { type TestService } from './service.js';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Parses Prometheus' text format, as far as the service uses it. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { name: string; type: string; help: string; samples: Sample[] }>();
  let current: { name: string; type: string; help: string; samples: Sample[] } | undefined;
  for (const line of text.split('\n')) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    if (name) families.set(name, (current = { name, type: '', help, samples: [] }));
    const [, type] = /^# TYPE \S+ (\S+)$/.exec(line) ?? [];
    if (type && current) current.type = type;
    const [, sample, labels = '', value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!sample || line.startsWith('#')) continue;
    if (!current || ![sample, sample.replace(/_(bucket|sum|count)$/, '')].includes(current.name))
      throw new Error(`This sample belongs to no metric family: ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text_ = '']) => [key, text_] as const);
    current.samples.push({ name: sample, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return families;
}

/** Returns the sum over all samples with these labels, or undefined if there are none. */
export function valueIn(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = [...families.values()].flatMap((family) => family.samples);
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

export interface MeasuredService {
  readonly service: TestService;
  readonly metricsUrl: string;
  text(): Promise<string>;
  families(): Promise<ReadonlyMap<string, Family>>;
  /** Returns {@link valueIn} of a new scrape. */
  value(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>;
}

/** Starts the service with its metrics on a port of their own, which the service logs. */
export async function startMeasured(env: Record<string, string> = {}): Promise<MeasuredService> {
  const service = await startApplication({ METRICS_PORT: '0', LOG_LEVEL: 'info', ...env });
  const port = /"port":(\d+),"msg":"metrics are served"/.exec(service.output())?.[1];
  const metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const text = async (): Promise<string> => await (await fetch(metricsUrl)).text();
  const families = async (): Promise<ReadonlyMap<string, Family>> => parseExposition(await text());
  return {
    service,
    metricsUrl,
    text,
    families,
    value: async (name, labels) => valueIn(await families(), name, labels),
  };
}
