import { Injectable } from '@nestjs/common';
import { isIP } from 'node:net';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { type Mode } from '../../../kernel/accounts.js';
import { isPublicAddress, resolveName } from '../egress/public-address.js';
import { checkUrl, type UrlRules } from '../egress/webhook-url.js';
import { WebhookOptions } from '../webhook-options.js';

/** Returns the rules for an endpoint's URL. They are checked at registration and again at each attempt. */
export function urlRules(mode: Mode, { allowPrivateNetworks, allowAnyPort }: WebhookOptions): UrlRules {
  return { httpsOnly: mode === 'live', allowPrivateNetworks, allowAnyPort };
}

/** Checks URLs at registration, so that a partner learns at once, not at the first delivery, that a URL is refused (decisions, "Webhooks"). */
@Injectable()
export class EndpointUrl {
  constructor(private readonly options: WebhookOptions) {}

  /**
   * Returns the normalized URL to store. A host name that cannot be resolved yet is accepted, because attempts check the address again.
   * @throws ValidationFailed if the URL breaks a rule or its host has an address that is not public
   */
  async check(text: string, mode: Mode): Promise<string> {
    const rules = urlRules(mode, this.options);
    const checked = checkUrl(text, rules);
    if (!checked.ok) throw new ValidationFailed({ url: [`The url field ${checked.reason}.`] });
    const host = checked.url.hostname;
    if (!rules.allowPrivateNetworks && isIP(host) === 0 && !host.startsWith('[')) {
      const addresses = await resolveName(host).catch(() => []);
      if (!addresses.every(({ address }) => isPublicAddress(address))) {
        throw new ValidationFailed({ url: ['The url field must name a host that is reachable from the public internet.'] });
      }
    }
    return checked.url.href;
  }
}
