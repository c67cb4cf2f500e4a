import { describe, expect, it } from '@jest/globals';
import grpc from '@grpc/grpc-js';
import fc from 'fast-check';
import { PassThrough } from 'node:stream';
import { type Connection } from './connecting/connection.js';
import { type Discovery } from './connecting/discovery.js';
import { StoreClient } from './store-client.js';

/** Returns a client whose user may not read, neither streams nor $all. */
function withoutRights(): StoreClient {
  const openRead = (): Promise<PassThrough> => {
    const call = new PassThrough({ objectMode: true });
    const denied = { code: grpc.status.PERMISSION_DENIED, details: 'Access Denied', metadata: new grpc.Metadata() };
    process.nextTick(() => call.destroy(Object.assign(new Error('7 PERMISSION_DENIED: Access Denied'), denied)));
    return Promise.resolve(call);
  };
  return new StoreClient({ openRead } as unknown as Connection, {} as Discovery);
}

describe('a client whose user lacks a right', () => {
  it('names the category of the stream that it may not read, and no more of its name', async () => {
    const client = withoutRights();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('wallet', 'farmer', 'api_key'), fc.uuid(), async (category, id) => {
        const error: unknown = await client.readStream(`${category}-${id}`, 'start', {}).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          reason: 'right',
          message: expect.stringContaining(`does not let the user in EVENT_STORE_URL read a stream of the category ${category}. Give`),
        });
        expect((error as Error).message).not.toMatch(/\$all/);
        expect((error as Error).message).not.toContain(id);
      }),
    );
  });

  it('names $all if that is what it may not read', async () => {
    await expect(withoutRights().readAll('start', {})).rejects.toMatchObject({
      reason: 'right',
      message: expect.stringContaining('read all events ($all). Give'),
    });
  });
});
