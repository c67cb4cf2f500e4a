import { type Socket } from 'node:net';
import pg, { type Pool } from 'pg';
import { refuseEncoding, responseLimitMs, sessionStatements, type SessionOptions } from './session-settings.js';
import { isExecuting } from './sharing/cancel-statement.js';

export interface SessionConfig extends pg.ClientConfig {
  readonly session?: SessionOptions;
}

type Connected = (error: Error | null) => void;

/**
 * A connection whose session settings are the service's, whatever the defaults of the server, the database and the user are. Every
 * connection of the service is one. It sets them before its first statement, with one message. No statement waits for ever: the connection
 * ends if its response does not come.
 */
export class SessionClient extends pg.Client {
  private readonly settings: string;
  private readonly settingMs: number | undefined;
  private readonly responseLimitMs: number;

  constructor(config: SessionConfig = {}) {
    super(config);
    const session = config.session ?? { statements: 'request' };
    // A connection that breaks fails the statement that runs on it, or the next one. Without a listener, it would end the process as well,
    // also while the connection is being set up, when neither a pool nor a caller listens yet.
    this.on('error', () => undefined);
    this.settings = sessionStatements(session);
    this.responseLimitMs = responseLimitMs(session);
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
    this.endIfSilent();
    try {
      await this.useSettings();
      return this;
    } catch (error) {
      // The pool forgets a client that did not connect, and would leave this connection open.
      await super.end().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Ends the connection if a statement runs and nothing has come or gone for longer than PostgreSQL lets it run. Its host, the network or a
   * proxy has dropped the connection without a word. The statement then fails here, and the pool opens another connection.
   */
  private endIfSilent(): void {
    const { stream } = (this as unknown as { readonly connection: { readonly stream: Socket } }).connection;
    stream.setTimeout(this.responseLimitMs).on('timeout', () => {
      if (isExecuting(this)) stream.destroy();
    });
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
