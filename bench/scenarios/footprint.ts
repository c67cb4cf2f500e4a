import { randomUUID } from 'node:crypto';
import { type Bench, type Scenario } from '../bench.js';
import { type Figure, type Goal } from '../report/figure.js';
import { type Bytes, dataFileBytes, eventsAfter, growth, headOf, keptAndPruned, tableBytes, walBytes } from '../support/footprint.js';
import { until } from '../support/until.js';
import { call, createPartners, untilCaughtUp } from '../environment/calls.js';
import { query } from '../environment/database.js';
import { importFarmers } from '../environment/farmers.js';
import { PARTNERS } from '../environment/lookup-environment.js';
import { type BenchService, startService } from '../environment/service-process.js';

const CONNECTIONS = 64;
const EVENT_STORE_GOAL: Goal = { of: 'value', max: 1_200 };
const TABLES_GOAL: Goal = { of: 'value', max: 900 };

/** A kind of request whose traces are measured alone. */
interface Kind {
  readonly label: string;
  readonly each: string;
  readonly goals: boolean;
  send(this: void, service: BenchService, key: string, rupa_id: string, number: number): Promise<unknown>;
}

const lookup: Kind['send'] = (service, key, rupa_id) => call(service, 'POST', '/v1/rupa/lookup', { 'X-API-KEY': key }, { rupa_id });

const KINDS: readonly Kind[] = [
  // The first lookup of a farmer by a partner also grants a consent and adds a row to the roster.
  { label: 'first lookup of a farmer by a partner', each: 'lookup', goals: true, send: lookup },
  { label: 'repeated lookup', each: 'lookup', goals: true, send: lookup },
  {
    label: 'repeated lookup with an Idempotency-Key',
    each: 'lookup',
    goals: true,
    send: (service, key, rupa_id) =>
      call(service, 'POST', '/v1/rupa/lookup', { 'X-API-KEY': key, 'Idempotency-Key': randomUUID() }, { rupa_id }),
  },
  {
    label: 'report',
    each: 'report',
    goals: false,
    send: (service, key, rupa_id, number) =>
      call(
        service,
        'POST',
        '/v1/rupa/report',
        { 'X-API-KEY': key },
        {
          rupa_id,
          event: 'loan_disbursed',
          amount: 150_000,
          currency: 'NGN',
          partner_reference: `bench-${number}`,
          occurred_at: '2026-03-02T09:00:00Z',
          payload: { tenor_months: 9, product: 'input loan' },
        },
      ),
  },
];

/** Counts what requests leave behind in the stores. A busy machine does not change the counts of bytes, apart from the WAL's full pages. */
export const footprint: Scenario = {
  name: 'footprint',
  description: 'bytes that a lookup and a report leave behind in the event store, in tables and in WAL',
  run: async (bench) => {
    await bench.closeEnvironment();
    const { cleanUp } = bench;
    const dataDir = cleanUp.folder();
    const prepared = await startService(cleanUp, { dataDir });
    const farmers = await importFarmers(cleanUp, dataDir, bench.size(10_000, 2_000));
    const keys = (await createPartners(prepared, PARTNERS)).map(({ key }) => key);
    await settled(prepared);
    await prepared.stop();
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const kind of KINDS) {
      const measured = await measureKind(bench, dataDir, kind, { farmers, keys });
      figures.push(...figuresOf(kind, measured));
      notes.push(...notesOf(kind, measured));
      bench.say(notes.slice(-2).join('\n  '));
    }
    return { figures, notes };
  },
};

/** Bytes that one request leaves behind. */
interface Measured {
  readonly requests: number;
  readonly dataFile: number;
  readonly events: Readonly<Record<string, { readonly each: number; readonly bytes: number }>>;
  readonly tables: Bytes;
  readonly wal: number;
}

/** Measures a kind between a start and a stop of the service, because only then the event store's data file has everything. */
async function measureKind(
  bench: Bench,
  dataDir: string,
  { send }: Kind,
  { farmers, keys }: { readonly farmers: readonly string[]; readonly keys: readonly string[] },
): Promise<Measured> {
  const requests = bench.size(10_000, 2_000);
  const fileBefore = dataFileBytes(dataDir);
  const service = await startService(bench.cleanUp, { dataDir });
  await untilCaughtUp(service);
  const { databaseUrl } = service.stores;
  const [head, tablesBefore] = [await headOf(service), await tableBytes(databaseUrl)];
  await query(databaseUrl, 'checkpoint');
  const walBefore = await walBytes(databaseUrl);
  let next = 0;
  const client = async (): Promise<void> => {
    for (let number = next++; number < requests; number = next++) {
      // Each partner asks for farmers of its own choice, and for each of them once.
      const partner = number % keys.length;
      const farmer = (partner * keys.length + Math.floor(number / keys.length)) % farmers.length;
      await send(service, keys[partner] ?? '', farmers[farmer] ?? '', number);
    }
  };
  await bench.measure(() => Promise.all(Array.from({ length: CONNECTIONS }, client)));
  await settled(service);
  const wal = ((await walBytes(databaseUrl)) - walBefore) / requests;
  const tables = growth(tablesBefore, await tableBytes(databaseUrl), requests);
  const events = [...(await eventsAfter(service, head))].map(([type, { count, bytes }]) => [
    type,
    { each: count / requests, bytes: bytes / requests },
  ]);
  await service.stop();
  const dataFile = (dataFileBytes(dataDir) - fileBefore) / requests;
  return { requests, dataFile, events: Object.fromEntries(events) as Measured['events'], tables, wal };
}

/** Waits until the read models show every event and every charge is settled: a settlement follows within two seconds. */
async function settled(service: BenchService): Promise<void> {
  const open = async (): Promise<boolean> => {
    await untilCaughtUp(service);
    const [row] = await query<{ open: boolean }>(service.stores.databaseUrl, 'select exists (select from read.open_charge) as open');
    return row?.open === false;
  };
  await until(open, { everyMs: 200, giveUpMs: 120_000, otherwise: 'There were still open charges two minutes after the last lookup.' });
}

function figuresOf({ label, goals }: Kind, { dataFile, events, tables, wal }: Measured): Figure[] {
  const { kept, pruned } = keptAndPruned(tables);
  const figure = (name: string, value: number, goal?: Goal): Figure => ({
    label: name,
    baseline: '',
    unit: 'bytes',
    ours: [value],
    theirs: [],
    ...(goal && goals ? { goal } : {}),
  });
  const eventBytes = Object.values(events).reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    figure(`${label}: event store's data file`, dataFile, EVENT_STORE_GOAL),
    figure('… events alone', eventBytes),
    figure('… tables that keep their rows, with indexes', kept, TABLES_GOAL),
    figure('… tables whose rows are deleted after a time', pruned),
    figure('… WAL', wal),
  ];
}

function notesOf({ label, each }: Kind, { requests, events, tables }: Measured): string[] {
  const perType = Object.entries(events).map(
    ([type, { each: count, bytes }]) => `${type} ${bytes.toFixed(0)} (${count.toFixed(2)} events)`,
  );
  const perTable = Object.entries(tables).map(([name, bytes]) => `${name} ${bytes.toFixed(0)}`);
  return [
    `${label}: bytes of events per ${each}, of ${requests.toLocaleString('en')}: ${perType.join(', ')}`,
    `${label}: bytes of tables per ${each}: ${perTable.join(', ')}`,
  ];
}
