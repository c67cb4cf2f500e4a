import { DeliveryFailed } from '../../contexts/webhooks/egress/delivery-failed.js';
import { Egress } from '../../contexts/webhooks/egress/post.js';
import { failure, type Finding, ok } from './finding.js';

const TIMEOUT_MS = 10_000;

/**
 * Posts an empty body the way a delivery is sent: DNS lookup, public addresses only, HTTPS. Any response status shows that egress works.
 */
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
    return ok('webhook egress', `${url} responded with ${status} in ${Math.round(durationMs)} ms`);
  } catch (error) {
    const found = error instanceof DeliveryFailed ? error.code : (error as Error).message;
    return failure(
      'webhook egress',
      found,
      `Allow this host to resolve DNS names and to reach port 443 of the internet, and check that ${url} is up.`,
    );
  } finally {
    egress.destroy();
  }
}
