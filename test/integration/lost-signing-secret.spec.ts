import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryQueue } from '../../src/contexts/webhooks/delivering/delivery-queue.js';
import { SigningSecrets } from '../../src/contexts/webhooks/endpoints/signing-secrets.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { DeliveryWorld } from '../support/delivery-world.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

const MASTER_KEY = MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
const OTHER_MASTER_KEY = MasterKeys.parse(`k2:${Buffer.alloc(32, 8).toString('base64')}`);
/** More claims than a delivery has attempts. */
const CLAIMS = 5;

/** Counts the deliveries that could not be signed. */
class CountingQueue extends DeliveryQueue {
  unsigned = 0;

  override async holdUnsigned(claimed: Parameters<DeliveryQueue['holdUnsigned']>[0]): Promise<void> {
    await super.holdUnsigned(claimed);
    this.unsigned += 1;
  }
}

describe('a delivery whose signing secret cannot be read', () => {
  let world: DeliveryWorld;
  let receiver: Receiver;
  let secrets: SigningSecrets;

  beforeEach(async () => {
    world = await DeliveryWorld.create();
    receiver = await startReceiver();
    secrets = new SigningSecrets(new Secrets(world.pool, MASTER_KEY));
    await world.consent('rp-1');
    await world.endpoint(1, receiver.url);
    await world.deliveries(1, [1]);
  });
  afterEach(async () => {
    await world.close();
    await receiver.close();
  });

  const delivery = async (): Promise<unknown> => (await world.pool.query('select status, attempt from ops.webhook_delivery')).rows[0];

  /** Starts a sender that cannot sign, and makes it try more often than a delivery is attempted. */
  async function failToSign(read: SigningSecrets): Promise<void> {
    const queue = new CountingQueue(world.pool);
    const { stop } = world.send({}, queue, (endpointId, ids) => read.read(endpointId, ids));
    await until(async () => {
      await world.pool.query('update ops.webhook_delivery set leased_until = null where holder is null');
      return queue.unsigned >= CLAIMS;
    });
    await stop();
    await world.pool.query('update ops.webhook_delivery set leased_until = null');
  }

  /** Records a rotation as the projector does. */
  async function rotate(secret_id: string): Promise<void> {
    await secrets.create(1, secret_id);
    await world.pool.query(
      `update read.webhook_endpoint set secret_id = $1,
         replaced_secrets = jsonb_build_array(jsonb_build_object('secret_id', secret_id, 'replaced_at', now())) || replaced_secrets::jsonb`,
      [secret_id],
    );
  }

  it('waits without an attempt, and is sent with all its retries once the secret is rotated', async () => {
    await failToSign(secrets);
    expect(await delivery()).toStrictEqual({ status: 'pending', attempt: 0 });
    expect(receiver.received).toHaveLength(0);

    await rotate('renewed');
    receiver.response = (_, response) => response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
    world.send({}, undefined, (endpointId, ids) => secrets.read(endpointId, ids));
    await until(() => receiver.received.length === 3);
    await until(async () => (await world.statuses()).delivered === 1);
    expect(await delivery()).toStrictEqual({ status: 'delivered', attempt: 3 });
    // The secret that was replaced is lost, so only the new one signs.
    for (const { headers } of receiver.received) expect(headers['webhook-signature']?.split(' ')).toHaveLength(1);
  });

  it('waits without an attempt while its sender lacks a master key, and is then signed with every secret of the endpoint', async () => {
    await secrets.create(1, 's');
    await rotate('renewed');
    await failToSign(new SigningSecrets(new Secrets(world.pool, OTHER_MASTER_KEY)));
    expect(await delivery()).toStrictEqual({ status: 'pending', attempt: 0 });

    world.send({}, undefined, (endpointId, ids) => secrets.read(endpointId, ids));
    await until(async () => (await world.statuses()).delivered === 1);
    expect(receiver.received.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toStrictEqual([2]);
  });
});
