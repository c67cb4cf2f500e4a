import { DeliveryFailed } from '../../contexts/webhooks/egress/delivery-failed.js';
import { Egress } from '../../contexts/webhooks/egress/post.js';
import { failure, type Finding, ok } from './finding.js';

const TIMEOUT_MS = 10_000;

/** As a delivery would go, with nothing in it: by name, to a public address, over HTTPS. Whatever status comes back, the way is open. */
export async function checkEgress(url: string): Promise<Finding> {
  const egress = new Egress();
  try {
    const { status, durationMs } = await egress.post({
      url,
      headers: {},
      body: '',
      timeoutMs: TIMEOUT_MS,
      httpsOnly: true,
      allowPrivateNetworks: false,
    });
    return ok('webhook egress', `answered with ${status} in ${Math.round(durationMs)} ms`);
  } catch (error) {
    const found = error instanceof DeliveryFailed ? error.code : (error as Error).message;
    return failure('webhook egress', found, 'Let this host resolve names and reach port 443 of the internet; name a URL that answers.');
  } finally {
    await egress.destroy();
  }
}
