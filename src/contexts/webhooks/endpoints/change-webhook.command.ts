import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { REPLACED_SECRETS_KEPT } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { Clock } from '../../../kernel/clock.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { type EndpointSettings } from '../domain/events.js';
import { WEBHOOK_STREAMS, type WebhookCommand } from '../domain/webhook.js';
import { EndpointUrl } from './endpoint-url.js';
import { EndpointFinder } from './endpoint-finder.js';
import { type WebhookOwner } from './register-webhook.command.js';
import { type IssuedSecret, SigningSecrets } from './signing-secrets.js';
import { settingsOf, type UpdateWebhookDto } from './webhooks.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

type Change =
  | { readonly kind: 'update'; readonly settings: Partial<EndpointSettings> }
  | { readonly kind: 'rotate-secret'; readonly secret_id: string }
  | { readonly kind: 'disable'; readonly reason: 'operator' | 'partner' }
  | { readonly kind: 'enable' }
  | { readonly kind: 'delete' };

/**
 * Changes the settings of an endpoint. Enables it if its failures have disabled it, not if a call has.
 * @throws Rejection `webhook_unknown`
 * @throws ValidationFailed if the URL is refused
 */
export class UpdateWebhook extends Command<void> {
  constructor(
    readonly owner: WebhookOwner,
    readonly endpointId: number,
    readonly changes: UpdateWebhookDto,
  ) {
    super();
  }
}

/**
 * Issues a new signing secret and returns it. It cannot be read again later.
 * @throws Rejection `webhook_unknown`
 */
export class RotateSigningSecret extends Command<IssuedSecret> {
  constructor(
    readonly owner: WebhookOwner,
    readonly endpointId: number,
    /** A UUID. A rotation that runs again with the same id, after it was interrupted, issues the same secret. */
    readonly operationId: string,
  ) {
    super();
  }
}

/**
 * Deletes an endpoint and its signing secrets.
 * @throws Rejection `webhook_unknown`
 */
export class DeleteWebhook extends Command<void> {
  constructor(
    readonly owner: WebhookOwner,
    readonly endpointId: number,
  ) {
    super();
  }
}

/** A recorded change of an endpoint. */
interface Changed {
  /** Waits until the read model shows it, and returns whether it does. */
  isShown(): Promise<boolean>;
  /** Waits until the read model shows it. @throws NotYetInForce if that takes too long */
  untilInForce(): Promise<void>;
}

/** The endpoint's partner, and the actor that the event records. */
type Changer = Pick<WebhookOwner, 'partner_id' | 'mode'> & { readonly actor: string };

/** Appends a change of an endpoint. */
@Injectable()
export class WebhookChanges {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly readModels: ReadModels,
  ) {}

  async apply({ partner_id, mode, actor }: Changer, endpoint_id: number, change: Change): Promise<Changed> {
    const command: WebhookCommand = { ...change, endpoint_id, partner_id, at: this.clock.iso(), actor };
    const committed = await this.streams.of(WEBHOOK_STREAMS).execute(String(endpoint_id), command, { mode });
    return {
      isShown: () => this.readModels.waitFor(committed),
      untilInForce: () =>
        this.readModels.waitUntilInForce(committed, {
          stream: `webhook-${endpoint_id}`,
          readModel: 'webhook_endpoint',
          next: 'Get the endpoint to check that.',
        }),
    };
  }
}

@CommandHandler(UpdateWebhook)
export class UpdateWebhookHandler implements ICommandHandler<UpdateWebhook> {
  constructor(
    private readonly changes: WebhookChanges,
    private readonly urls: EndpointUrl,
  ) {}

  async execute({ owner, endpointId, changes }: UpdateWebhook): Promise<void> {
    const settings = settingsOf(changes);
    const url = settings.url === undefined ? {} : { url: await this.urls.check(settings.url, owner.mode) };
    await (await this.changes.apply(byKey(owner), endpointId, { kind: 'update', settings: { ...settings, ...url } })).untilInForce();
  }
}

@CommandHandler(RotateSigningSecret)
export class RotateSigningSecretHandler implements ICommandHandler<RotateSigningSecret> {
  constructor(
    private readonly changes: WebhookChanges,
    private readonly secrets: SigningSecrets,
    private readonly endpoints: EndpointFinder,
  ) {}

  async execute({ owner, endpointId, operationId: secret_id }: RotateSigningSecret): Promise<IssuedSecret> {
    // The secret is stored before the event, so the owner is checked first: no secret is stored for an endpoint of another partner.
    const { replaced_secrets: replaced } = await this.endpoints.find(endpointId, owner.partner_id);
    const signing_secret = await this.secrets.create(endpointId, secret_id);
    const changed = await this.changes.apply(byKey(owner), endpointId, { kind: 'rotate-secret', secret_id });
    const isShown = await changed.isShown();
    // From now on the read model names fewer of the secrets that were replaced before, and no delivery is signed with the others.
    if (isShown)
      await this.secrets.remove(
        endpointId,
        replaced.slice(REPLACED_SECRETS_KEPT - 1).map((each) => each.secret_id),
      );
    return { signing_secret, isShown };
  }
}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(
    private readonly changes: WebhookChanges,
    private readonly secrets: SigningSecrets,
  ) {}

  async execute({ owner, endpointId }: DeleteWebhook): Promise<void> {
    const changed = await this.changes.apply(byKey(owner), endpointId, { kind: 'delete' });
    await this.secrets.removeAll(endpointId);
    await changed.untilInForce();
  }
}

function byKey({ partner_id, mode, key_id }: WebhookOwner): Changer {
  return { partner_id, mode, actor: `key:${key_id}` };
}
