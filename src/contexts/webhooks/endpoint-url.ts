import { Injectable } from '@nestjs/common';
import { isIP } from 'node:net';
import { ValidationFailed } from '../../http/validation.js';
import { type Mode } from '../../kernel/modes.js';
import { isPublicAddress } from './egress/public-address.js';
import { resolveName } from './egress/resolve-name.js';
import { checkUrl, type UrlRules } from './egress/webhook-url.js';
import { WebhookOptions } from './webhook-options.js';

/** What an endpoint of that mode may be reached by: at registration, and again whenever something is sent. */
export function urlRules(mode: Mode, { allowPrivateNetworks, allowAnyPort }: WebhookOptions): UrlRules {
  return { httpsOnly: mode === 'live', allowPrivateNetworks, allowAnyPort };
}

/** Decisions, "Webhooks": what could be turned against our own network is told at once, and not only when it is sent to. */
@Injectable()
export class EndpointUrl {
  constructor(private readonly options: WebhookOptions) {}

  /** The URL as it is kept. A name that cannot be resolved yet is none of our business. @throws ValidationFailed */
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
