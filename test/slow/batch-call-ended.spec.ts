import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { NEVER_STALLS_MS } from '../support/patient-log.js';

/** A store that has rejected a call is asked again a second later, which never comes here. */
class StoppedClock extends SystemClock {
  override elapsedMs(): number {
    return 0;
  }
}

type BatchCall = grpc.ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

/**
 * A store that responds to appends, but treats the first calls as `misbehave` says. It records the ids of the events that it was asked to
 * write.
 */
async function storeWith(misbehave: (call: BatchCall, number: number) => boolean) {
  const written = new Map<string, number>();
  let calls = 0;
  const server = new grpc.Server();
  const { batchAppend } = streamsService.StreamsService;
  server.addService(
    { batchAppend },
    {
      batchAppend: (call: BatchCall) => {
        calls += 1;
        const bad = misbehave(call, calls);
        call.on('error', () => undefined);
        call.on('data', (request: streams.BatchAppendReq) => {
          for (const message of request.getProposedMessagesList()) written.set(message.getId()?.getString() ?? '', calls);
          if (!bad) call.write(success(request));
        });
      },
    },
  );
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, callback: grpc.sendUnaryData<features.SupportedMethods>) => {
      const method = new features.SupportedMethod().setMethodName('batchappend').setServiceName('event_store.client.streams.Streams');
      callback(null, new features.SupportedMethods().setMethodsList([method]));
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    written,
    calls: () => calls,
    close: () => {
      server.forceShutdown();
    },
  };
}

function success(request: streams.BatchAppendReq): streams.BatchAppendResp {
  const position = new shared.AllStreamPosition().setCommitPosition('7').setPreparePosition('7');
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(inHalves(request.getCorrelationId()?.getString() ?? ''));
  return response.setSuccess(new streams.BatchAppendResp.Success().setCurrentRevision('0').setPosition(position));
}

/** Encodes an id as EventStoreDB responds, whatever form the request used. */
function inHalves(id: string): shared.UUID {
  const [most = '', least = ''] = [0, 16].map((at) =>
    BigInt.asIntN(64, BigInt(`0x${id.replaceAll('-', '').slice(at, at + 16)}`)).toString(),
  );
  return new shared.UUID().setStructured(new shared.UUID.Structured().setMostSignificantBits(most).setLeastSignificantBits(least));
}

function event() {
  return { id: randomUUID(), type: 'Happened', data: {}, metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 } };
}

describe('a batch call', () => {
  it.each([
    ['that ends cleanly, which leaves the client waiting forever,', (call: BatchCall) => call.end()],
    ['that breaks off as unavailable', (call: BatchCall) => call.emit('error', { code: grpc.status.UNAVAILABLE, details: 'gone' })],
    ['that never responds', () => undefined],
  ])('%s is replaced, and every append on it is retried unchanged and acknowledged', async (_what, spoil) => {
    const store = await storeWith((call, number) => {
      if (number > 2) return false;
      call.once('data', () => {
        setImmediate(() => {
          spoil(call);
        });
      });
      return true;
    });
    const adapter = new EventStore(store.url, { stallTimeoutMs: 300 });
    try {
      const events = Array.from({ length: 25 }, event);
      const results = await Promise.all(events.map((each, n) => adapter.append(`s-${n}`, [each], NO_EVENTS)));
      expect(results).toStrictEqual(events.map(() => ({ kind: 'appended', revision: 0n, position: 7n })));
      expect([...store.written.keys()].sort()).toStrictEqual(events.map(({ id }) => id).sort());
      // On a busy machine, a call may be replaced because this process did not read its response in time.
      expect(store.calls()).toBeGreaterThanOrEqual(3);
    } finally {
      await adapter.close();
      store.close();
    }
  });

  it('that is refused for wrong credentials is not opened again at once', async () => {
    const store = await storeWith((call) => {
      call.emit('error', { code: grpc.status.UNAUTHENTICATED, details: 'Wrong password' });
      return true;
    });
    const adapter = new EventStore(store.url, { stallTimeoutMs: NEVER_STALLS_MS, clock: new StoppedClock() });
    try {
      for (let round = 0; round < 3; round += 1)
        await expect(adapter.append('s-1', [event()], NO_EVENTS)).rejects.toMatchObject({
          name: 'AccessRejected',
          message: expect.stringContaining('rejects the user or the password in EVENT_STORE_URL'),
        });
      expect(store.calls()).toBe(1);
      expect(store.written.size).toBe(0);
    } finally {
      await adapter.close();
      store.close();
    }
  });

  it('does not retry an event that cannot be encoded', async () => {
    const store = await storeWith(() => false);
    const adapter = new EventStore(store.url, { stallTimeoutMs: NEVER_STALLS_MS });
    try {
      await expect(adapter.append('s-1', [{ ...event(), data: { amount: 1n } }], NO_EVENTS)).rejects.toMatchObject({
        name: 'PermanentStoreError',
        message: 'An event cannot be encoded.',
      });
      expect(store.written.size).toBe(0);
    } finally {
      await adapter.close();
      store.close();
    }
  });
});
