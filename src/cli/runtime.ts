import { type INestApplicationContext } from '@nestjs/common';
import { type Pool } from 'pg';
import { type EventStore } from '../platform/event-sourcing/event-store.js';
import { type MasterKeys } from '../platform/key-store/master-keys.js';

/** One run of a command, as the audit trail records it. */
export interface Invocation {
  /** The words that the operator typed, such as `rupa wallet verify`. */
  readonly route: string;
  /** The arguments that are ids; names, amounts and files are left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the run stands in the audit trail. */
  readonly audited: boolean;
}

/** The log of the service's stores, still encrypted, and the database beside it. */
export interface OpenLog {
  readonly eventStore: EventStore;
  readonly eventStoreUrl: string;
  /** One connection; it opens at its first use. */
  readonly pool: Pool;
  /** A client of another event store. The runtime closes it after the work, as it does with its own. */
  connect(this: void, eventStoreUrl: string): EventStore;
}

export interface OpenKeys {
  readonly pool: Pool;
  /** Reads the master keys again at every call, because a rotation adds one. */
  readonly masterKeys: () => MasterKeys;
  /** The file that holds the master keys, if the service generated them itself. */
  readonly file: string | undefined;
}

export type FindingStatus = 'ok' | 'warning' | 'failure';

/** One result of the doctor's examination. */
export interface Finding {
  readonly check: string;
  readonly status: FindingStatus;
  readonly found: string;
  /** What the operator should do; absent where all is well. */
  readonly todo?: string;
}

/**
 * What commands need from the program that runs them; src/app implements it. Each method works on the stores of the running service or,
 * where no service runs, on stores that it opens for as long as the work takes. An audited command is recorded before and after its work.
 */
export interface CommandRuntime {
  /** Notes which command runs. The program calls this once, before the command's action. */
  begin(invocation: Invocation): void;

  /**
   * Runs `work` on the application: the commands and queries of every context.
   * @param options.project false leaves the projector out where no service runs: the read models then do not follow the log
   */
  withApplication<T>(work: (app: INestApplicationContext) => Promise<T>, options?: { readonly project: boolean }): Promise<T>;

  withLog<T>(work: (log: OpenLog) => Promise<T>): Promise<T>;

  withKeys<T>(work: (keys: OpenKeys) => Promise<T>): Promise<T>;

  /**
   * Examines settings and stores, and changes nothing.
   * @param options.egressUrl is called as a webhook would be; without it nothing outside is called
   */
  examine(options: { readonly egressUrl: string | undefined }): Promise<readonly Finding[]>;
}
