import pg, { type PoolClient } from 'pg';
import { currentRequest } from '../../tracing/request-context.js';
import { cancelStatement, endConnection, isExecuting } from './cancel-statement.js';
import { connectionConfig, poolConfig, watched } from '../pool.js';
import { CallEnded, Shares } from './shares.js';

/** Milliseconds that a call waits for a connection. */
const WAIT_MS = 10_000;
/** Milliseconds that a cancelled statement may take to end. A proxy in between may not pass the cancellation on. */
const CANCELLING_MS = 2_000;
/** Callers without a call, such as a check of what waiting calls may have missed. */
const NO_CALLER = '';

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: Error | boolean) => void) => void;

/**
 * The connections for calls that cost their callers nothing. Billed calls have others, so that no number of free calls delays a lookup, and
 * each caller has its share, so that none delays another. A statement is cancelled when its call ends: it got a 503 because of its deadline,
 * or its caller is gone.
 */
export class CallerPool extends pg.Pool {
  private readonly shares: Shares;

  constructor(databaseUrl: string, max: number, maxPerCaller: number) {
    super(poolConfig(connectionConfig(databaseUrl, { statements: 'request', pages: true }), max));
    this.shares = new Shares(max, maxPerCaller, WAIT_MS);
  }

  /** @throws CallEnded, and the errors of the pool */
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    const connected = this.connectInTurn();
    if (!callback) return connected;
    connected.then(
      (client) => {
        callback(undefined, client, (error) => {
          client.release(error);
        });
      },
      (error: unknown) => {
        callback(error as Error, undefined, () => undefined);
      },
    );
    return undefined;
  }

  private async connectInTurn(): Promise<PoolClient> {
    const call = currentRequest()?.call;
    const giveBack = await this.shares.take(call?.caller ?? NO_CALLER, call);
    try {
      const client = await super.connect();
      const release = client.release.bind(client);
      if (call?.ended) {
        release();
        throw new CallEnded();
      }
      let cancelling: NodeJS.Timeout | undefined;
      const stopListening = call?.onEnd(() => {
        if (!isExecuting(client)) return;
        cancelStatement(client);
        cancelling = setTimeout(endConnection, CANCELLING_MS, client);
      });
      client.release = (error) => {
        stopListening?.();
        clearTimeout(cancelling);
        // A cancellation that arrives late would cancel a statement of the next caller, so nobody gets this connection again.
        release(cancelling === undefined ? error : true);
        giveBack();
      };
      return client;
    } catch (error) {
      giveBack();
      throw error;
    }
  }
}

export function createCallerPool(databaseUrl: string, max: number, maxPerCaller: number, onError: (error: Error) => void): CallerPool {
  return watched(new CallerPool(databaseUrl, max, maxPerCaller), onError);
}
