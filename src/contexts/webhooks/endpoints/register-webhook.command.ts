import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { endpointCount } from '../../../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { AdvisoryLocks } from '../../../platform/database/instances/locks.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../kernel/clock.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { type EndpointSettings } from '../domain/events.js';
import { ALL_EVENTS } from '../domain/notification-types.js';
import { EndpointUrl } from './endpoint-url.js';
import { type IssuedSecret, SigningSecrets } from './signing-secrets.js';
import { type RegisterWebhookDto, settingsOf } from './webhooks.dto.js';
import { WEBHOOK_STREAMS } from '../domain/webhook.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/** Limit of endpoints per partner (decisions, "Webhooks"). */
const MAX_ENDPOINTS = 20;

export type WebhookOwner = Pick<PartnerContext, 'partner_id' | 'key_id' | 'mode'>;

interface Registered extends IssuedSecret {
  readonly endpoint_id: number;
  readonly settings: EndpointSettings;
}

/**
 * Registers an endpoint and returns it with its signing secret, which cannot be read again later.
 * @throws ValidationFailed if the URL is refused or the partner has too many endpoints
 */
export class RegisterWebhook extends Command<Registered> {
  constructor(
    readonly owner: WebhookOwner,
    readonly endpoint: RegisterWebhookDto,
    /** A UUID. A registration that runs again with the same id, after it was interrupted, continues with the same endpoint and secret. */
    readonly operationId: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterWebhook)
export class RegisterWebhookHandler implements ICommandHandler<RegisterWebhook> {
  private readonly locks: AdvisoryLocks;

  constructor(
    private readonly streams: Streams,
    private readonly secrets: SigningSecrets,
    private readonly urls: EndpointUrl,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly readModels: ReadModels,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {
    this.locks = new AdvisoryLocks(pool);
  }

  async execute({ owner, endpoint, operationId }: RegisterWebhook): Promise<Registered> {
    // A registration that was recorded is not checked again: its host may resolve to other addresses now, and deliveries check these.
    const recorded = await this.recorded(operationId);
    if (recorded) return await this.register(owner, recorded.settings, recorded.endpoint_id, operationId);
    const url = await this.urls.check(endpoint.url, owner.mode);
    const settings = { name: null, events: [ALL_EVENTS], ...settingsOf(endpoint), url };
    // The lock serializes a partner's registrations. Without it, concurrent registrations could exceed the limit.
    return await this.locks.withLock(`webhooks ${owner.partner_id}`, async () => {
      const begun = await this.secrets.endpointOf(operationId);
      if (begun !== undefined) return await this.register(owner, settings, begun, operationId);
      if ((await endpointCount(this.pool, owner.partner_id)) >= MAX_ENDPOINTS)
        throw new ValidationFailed({ url: [`A partner can have at most ${MAX_ENDPOINTS} webhook endpoints; delete one first.`] });
      return await this.register(owner, settings, await this.ids.next('endpoint'), operationId);
    });
  }

  /** Returns the endpoint that an interrupted run of the operation has registered; undefined if there is none, or it was deleted since. */
  private async recorded(operationId: string): Promise<Pick<Registered, 'endpoint_id' | 'settings'> | undefined> {
    const endpoint_id = await this.secrets.endpointOf(operationId);
    if (endpoint_id === undefined) return undefined;
    const { state } = await this.streams.of(WEBHOOK_STREAMS).load(String(endpoint_id));
    return 'settings' in state ? { endpoint_id, settings: state.settings } : undefined;
  }

  private async register(
    { partner_id, key_id, mode }: WebhookOwner,
    settings: EndpointSettings,
    endpoint_id: number,
    secret_id: string,
  ): Promise<Registered> {
    const signing_secret = await this.secrets.create(endpoint_id, secret_id);
    const command = {
      kind: 'register' as const,
      endpoint_id,
      partner_id,
      mode,
      settings,
      secret_id,
      at: this.clock.iso(),
      actor: `key:${key_id}`,
    };
    const isShown = await this.readModels.waitFor(await this.streams.of(WEBHOOK_STREAMS).execute(String(endpoint_id), command, { mode }));
    return { endpoint_id, settings, signing_secret, isShown };
  }
}
