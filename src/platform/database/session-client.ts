import pg, { type Pool } from 'pg';
import { refuseEncoding, sessionStatements, type SessionOptions } from './session-settings.js';

export interface SessionConfig extends pg.ClientConfig {
  readonly session?: SessionOptions;
}

type Connected = (error: Error | null) => void;

/**
 * A connection whose session settings are the service's, whatever the defaults of the server, the database and the user are. Every
 * connection of the service is one. It sets them before its first statement, with one message.
 */
export class SessionClient extends pg.Client {
  private readonly settings: string;
  private readonly settingMs: number | undefined;

  constructor(config: SessionConfig = {}) {
    super(config);
    // A connection that breaks fails the statement that runs on it, or the next one. Without a listener, it would end the process as well,
    // also while the connection is being set up, when neither a pool nor a caller listens yet.
    this.on('error', () => undefined);
    this.settings = sessionStatements(config.session ?? { statements: 'request' });
    this.settingMs = config.connectionTimeoutMillis === 0 ? undefined : config.connectionTimeoutMillis;
  }

  /** @throws DatabaseUnusable, and the errors of the driver */
  override connect(): Promise<this>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<this> | undefined {
    const connected = this.connectAndSet();
    if (!callback) return connected;
    connected.then(() => {
      callback(null);
    }, callback);
    return undefined;
  }

  private async connectAndSet(): Promise<this> {
    await super.connect();
    try {
      await this.useSettings();
      return this;
    } catch (error) {
      // The pool forgets a client that did not connect, and would leave this connection open.
      await super.end().catch(() => undefined);
      throw error;
    }
  }

  private async useSettings(): Promise<void> {
    const text = this.settings;
    const query = this.settingMs === undefined ? { text } : { text, query_timeout: this.settingMs };
    // The driver returns a list for a text of several statements, which its types do not say.
    const results = (await this.query<{ encoding: string }>(query)) as unknown as readonly pg.QueryResult<{ encoding: string }>[];
    refuseEncoding(results.at(-1)?.rows[0]?.encoding);
  }
}

/** Returns a client like those of the pool, which is not one of them. It connects when it is told to. */
export function clientLike({ options }: Pool, session: SessionOptions, more: pg.ClientConfig = {}): SessionClient {
  return new SessionClient({ ...options, ...more, session });
}
