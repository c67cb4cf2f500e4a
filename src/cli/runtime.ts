import { type INestApplicationContext } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Codec } from '../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../platform/event-sourcing/event-store.js';
import { type MasterKeys } from '../platform/key-store/master-keys.js';
import { type Secrets } from '../platform/key-store/secrets.js';
import { type Progress } from '../platform/projecting/rebuilding/shadow.js';

/** One run of a command, as the audit trail records it. */
export interface Invocation {
  /** The words that the operator typed, such as `rupa wallet verify`. */
  readonly route: string;
  /** The arguments that are ids; names, amounts and files are left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the audit trail records the run. */
  readonly audited: boolean;
  /** Whether the run creates embedded stores that do not exist. */
  readonly createsStores: boolean;
  /** Whether the run is refused while maintenance is in force. */
  readonly refusedInMaintenance: boolean;
}

/** The log of the service, whose personal data are still encrypted, and the database that belongs to it. */
export interface OpenLog {
  readonly eventStore: EventStore;
  readonly eventStoreUrl: string;
  /** Whether an embedded store of the running service is used, which ends when the service does. */
  readonly endsWithService: boolean;
  /** A pool of one connection, which opens at its first use. */
  readonly pool: Pool;
  /** It has no keys of personal data. */
  readonly codec: Codec;
  /** Returns the secrets in the key store. @throws Error if the master keys cannot be read */
  secrets(this: void): Secrets;
  /** Makes a client of another event store. The runtime closes it after the work, like its own. */
  connect(this: void, eventStoreUrl: string): EventStore;
}

export interface OpenKeys {
  readonly pool: Pool;
  /** Reads the master keys again at every call, because a rotation adds one. */
  readonly masterKeys: () => MasterKeys;
  /** The file that holds the master keys, if the service generated them itself. */
  readonly file: string | undefined;
}

/** The result of a check of the whole log. */
export interface LogCheck {
  /** Number of events that were read. */
  readonly events: number;
  /** A sentence for each fault that was found. */
  readonly faults: readonly string[];
  /** Sentences about events that are whole and passed over. */
  readonly notes?: readonly string[];
}

export type FindingStatus = 'ok' | 'warning' | 'failure';

/** One result of the doctor's examination. */
export interface Finding {
  readonly check: string;
  readonly status: FindingStatus;
  readonly found: string;
  /** The next step for the operator; absent if the status is `ok`. */
  readonly todo?: string;
}

/**
 * Gives commands access to the stores; src/app implements it. Each method works on the stores of the running service or, if no service
 * runs, on stores that it opens only for the duration of the work. An audited command is recorded before and after its work.
 */
export interface CommandRuntime {
  /** Registers the command that runs. The program calls this once, before the command's action. */
  begin(invocation: Invocation): void;

  /** The actor that events record for what the command changes: the holder of RUPA_TOKEN, or `cli:` and the operator's name. @throws Error before the stores are open */
  readonly actor: string;

  /**
   * Runs `work` on the application: the commands and queries of every context.
   * @param options.project false: if no service runs, the projector is not started, and the read models do not follow the log
   */
  withApplication<T>(work: (app: INestApplicationContext) => Promise<T>, options?: { readonly project: boolean }): Promise<T>;

  withLog<T>(work: (log: OpenLog) => Promise<T>): Promise<T>;

  /** Reads the whole log and checks every event, and before that the files of the embedded event store where no process uses them. */
  checkLog(onProgress: (progress: Progress) => void): Promise<LogCheck>;

  withKeys<T>(work: (keys: OpenKeys) => Promise<T>): Promise<T>;

  /**
   * Examines settings and stores without changing anything.
   * @param options.egressUrl URL to call like a webhook endpoint; if it is undefined, no external host is called
   * @param options.metricsUrls addresses of the APIs' metrics; without any, those of the settings are read
   */
  examine(options: { readonly egressUrl: string | undefined; readonly metricsUrls: readonly string[] }): Promise<readonly Finding[]>;
}
