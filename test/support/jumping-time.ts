import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { createTestDatabase } from './database.js';
import { startService, type TestService } from './service.js';
import { until } from './until.js';

/** The functions that sessions of the service find before PostgreSQL's own (jump-ahead.mjs). */
const DATABASE_TIME = `create schema jumping;
  create table jumping.time (ahead interval not null);
  insert into jumping.time values ('0');
  create function jumping.now() returns timestamptz language sql stable as 'select pg_catalog.now() + ahead from jumping.time';
  create function jumping.clock_timestamp() returns timestamptz language sql volatile as 'select pg_catalog.clock_timestamp() + ahead from jumping.time'`;

/** Migrations have created the columns with PostgreSQL's own function. */
const DEFAULTS = `do $$ declare c record; begin
  for c in select table_schema, table_name, column_name from information_schema.columns where table_schema in ('ops', 'read') and column_default like '%now()'
  loop execute format('alter table %I.%I alter column %I set default jumping.now()', c.table_schema, c.table_name, c.column_name); end loop;
  end $$`;

/** The files through which a test tells the threads what to do (jump-ahead.mjs). Each has a number. */
export const TIME_FILES = ['ahead', 'hold', 'count'] as const;
export type TimeFile = (typeof TIME_FILES)[number];

/** Replaces a file as a whole, because a thread could meet a half-written one. */
export function setTime(folder: string, file: TimeFile, value: number): void {
  writeFileSync(join(folder, `${file}.new`), String(value));
  renameSync(join(folder, `${file}.new`), join(folder, file));
}

export interface ThreadReport {
  readonly isEventStore: boolean;
  readonly ahead: number;
  /** The `ahead` of the jump for which the thread is held, or was. */
  readonly held: number;
  readonly counted: number;
  /** Numbers of entries of all maps, sets and arrays, by what their first entries look like. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Timers that wait. */
  readonly timers: number;
  /** Delays that Node does not wait for, with the stack. */
  readonly wrongDelays: readonly string[];
}

/** The time of a service and of its database, which a test lets jump ahead. */
export class JumpingTime {
  private aheadMs = 0;
  private counts = 0;

  private constructor(
    private readonly folder: string,
    private readonly database: pg.Client,
  ) {}

  /** Prepares an empty database. Start the service on it with {@link env}. */
  static async of(databaseUrl: string): Promise<JumpingTime> {
    const folder = mkdtempSync(join(tmpdir(), 'rupa-time-'));
    for (const file of TIME_FILES) setTime(folder, file, 0);
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    await database.query(DATABASE_TIME);
    await database.query('set search_path = public, jumping, pg_catalog');
    return new JumpingTime(folder, database);
  }

  get env(): Record<string, string> {
    return { NODE_OPTIONS: `--import=${resolve('test/support/jump-ahead.mjs')}`, TIME_DIR: this.folder };
  }

  /** Makes the defaults of the service's tables use this time. Call it once the service has started. */
  async useInDefaults(): Promise<void> {
    await this.database.query(DEFAULTS);
  }

  /** Runs a statement at the database's present time. */
  async query<T extends pg.QueryResultRow>(statement: string): Promise<T[]> {
    return (await this.database.query<T>(statement)).rows;
  }

  /** Adds to the time of the database and of every thread at once, and waits until the timers that are due have been started. */
  async jump(ms: number): Promise<void> {
    this.aheadMs += ms;
    setTime(this.folder, 'hold', this.aheadMs);
    await until(() => this.threads().every(({ held }) => held === this.aheadMs));
    await this.database.query(`update jumping.time set ahead = make_interval(secs => ${this.aheadMs / 1_000})`);
    setTime(this.folder, 'ahead', this.aheadMs);
    await until(() => this.threads().every(({ ahead }) => ahead === this.aheadMs));
  }

  /** Counts what each thread holds, after it has collected its garbage. */
  async count(): Promise<ThreadReport[]> {
    this.counts += 1;
    setTime(this.folder, 'count', this.counts);
    return await until(() => {
      const threads = this.threads();
      return threads.every(({ counted }) => counted === this.counts) && threads;
    });
  }

  async close(): Promise<void> {
    await this.database.end();
    rmSync(this.folder, { recursive: true });
  }

  /** Returns the report of each thread whose process runs. Its file is `thread-<process>-<thread>.json`. */
  private threads(): ThreadReport[] {
    const files = readdirSync(this.folder).filter((file) => file.endsWith('.json') && isRunning(Number(file.split('-')[1])));
    return files.sort().map((file) => JSON.parse(readFileSync(join(this.folder, file), 'utf8')) as ThreadReport);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A process with every role whose time jumps, together with its database's. */
export interface JumpingService {
  readonly service: TestService;
  readonly time: JumpingTime;
  close(): Promise<void>;
}

export async function startJumpingService(): Promise<JumpingService> {
  const database = await createTestDatabase();
  const time = await JumpingTime.of(database.url);
  const service = await startService(
    {
      DATABASE_URL: database.url,
      MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
      ADMIN_TOKEN: randomUUID(),
      AUDITOR_TOKEN: randomUUID(),
      ...time.env,
    },
    { repeats: true },
  );
  await time.useInDefaults();
  return {
    service,
    time,
    close: async () => {
      await service.stop();
      await time.close();
      await database.drop();
    },
  };
}
