import Table from 'cli-table3';
import { Command, InvalidArgumentError } from 'commander';
import { CPU_MICROS, type Coefficient, DELIVERY_MICROS, FOOTPRINTS } from './coefficients.js';
import { BUSY_SHARE, type Forecast, forecast, type Load, scaled, SINGLE_PARTS } from './model.js';

// Prints what a load needs in storage and processor time (docs/scale.md).

const FACTORS = [1, 10, 100];

const NAMES = {
  api: 'APIs',
  projector: 'projector',
  webhooks: 'webhook senders',
  eventStore: 'event store',
  postgres: 'PostgreSQL',
} as const;

const options = new Command('npm run scale --')
  .description('Prints bytes a year and processor cores at 1, 10 and 100 times a load, from the costs in bench/scale/coefficients.ts.')
  .option('--lookups-per-day <count>', 'lookups per day', atLeast(0), 1_000_000)
  .option('--first-share <share>', 'share of lookups that are the first of a farmer by a partner (0 to 1)', share, 0.1)
  .option('--keyed-share <share>', 'share of the other lookups with an Idempotency-Key (0 to 1)', share, 0.5)
  .option('--reports-per-day <count>', 'reports per day', atLeast(0), 100_000)
  .option('--deliveries-per-day <count>', 'webhook deliveries per day', atLeast(0), 100_000)
  .option('--peak <factor>', 'load of the busiest second, as a multiple of the average', atLeast(1), 5)
  .option('--disk-tb <terabytes>', 'disk of each store, to say when it is full', atLeast(0.001), 4)
  .option('--coefficients', 'print each cost with its source instead', false)
  .parse()
  .opts<Load & { readonly diskTb: number; readonly coefficients: boolean }>();

process.stdout.write(`${options.coefficients ? coefficients() : forecasts()}\n`);

function forecasts(): string {
  const columns = FACTORS.map((factor) => forecast(scaled(options, factor)));
  const table = new Table({ head: ['', ...FACTORS.map((factor) => `${factor} ×`)], style: { head: [], border: [] } });
  const row = (name: string, value: (of: Forecast) => string): void => {
    table.push([name, ...columns.map(value)]);
  };
  row('lookups per second, peak', ({ lookupsPerSecond }) => Math.ceil(lookupsPerSecond).toLocaleString('en'));
  row('event store, a year', ({ eventStore }) => terabytes(eventStore));
  row('tables with indexes, a year', ({ tables }) => terabytes(tables));
  row('WAL, a year', ({ wal }) => terabytes(wal));
  row('rows that are deleted again, in total', ({ pruned }) => terabytes(pruned));
  row(`event store's disk of ${options.diskTb} TB is full after`, ({ eventStore }) => days(eventStore));
  row(`PostgreSQL's disk of ${options.diskTb} TB is full after`, ({ tables, pruned }) => days(tables, pruned));
  for (const [part, name] of Object.entries(NAMES) as [keyof typeof NAMES, string][])
    row(`cores: ${name}${SINGLE_PARTS.includes(part) ? ' (one)' : ''}`, ({ cores }) => cores[part].toFixed(2));
  row('APIs', ({ apis }) => String(apis));
  row('senders', ({ senders }) => String(senders));
  row('busiest part that is one', ({ busiest }) => `${NAMES[busiest.part]}, ${Math.round(busiest.share * 100)} %`);
  row('what to do', advice);
  return table.toString();
}

function advice({ busiest, eventStore, tables, apis }: Forecast): string {
  const steps: string[] = [];
  if (Math.max(eventStore, tables) > options.diskTb * 1e12) steps.push('larger disks,\nor cells of partners');
  if (apis > 1) steps.push(`${apis} APIs`);
  if (busiest.share > BUSY_SHARE) steps.push(`cells of partners:\n${NAMES[busiest.part]} is too busy`);
  return steps.join('\n') || 'nothing';
}

function coefficients(): string {
  const table = new Table({ head: ['cost', 'value', 'source'], style: { head: [], border: [] } });
  const group = (name: string, unit: string, costs: Readonly<Record<string, Coefficient>>): void => {
    for (const [part, { value, source }] of Object.entries(costs)) table.push([`${name}: ${part}`, `${value} ${unit}`, source]);
  };
  for (const [kind, costs] of Object.entries(FOOTPRINTS)) group(kind, 'bytes', costs);
  for (const [kind, costs] of Object.entries(CPU_MICROS)) group(kind, 'µs', costs);
  group('delivery', 'µs', { 'sender and receiver': DELIVERY_MICROS });
  return table.toString();
}

function terabytes(bytes: number): string {
  return bytes < 1e12 ? `${(bytes / 1e9).toFixed(0)} GB` : `${(bytes / 1e12).toFixed(1)} TB`;
}

function days(bytesPerYear: number, atOnce = 0): string {
  const full = ((options.diskTb * 1e12 - atOnce) / bytesPerYear) * 365;
  if (full <= 0) return 'at once';
  return Number.isFinite(full) ? `${Math.floor(full).toLocaleString('en')} days` : 'never';
}

function atLeast(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < min)
      throw new InvalidArgumentError(`It must be a number of at least ${min}.`);
    return value;
  };
}

function share(text: string): number {
  const value = atLeast(0)(text);
  if (value > 1) throw new InvalidArgumentError('It must be between 0 and 1.');
  return value;
}
