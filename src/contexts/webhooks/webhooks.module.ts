import { Module } from '@nestjs/common';
import { IdsModule } from '../../platform/ids/ids.module.js';
import { FarmersModule } from '../farmers/farmers.module.js';
import { PartnersModule } from '../partners/partners.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { DeleteWebhookHandler, RotateSigningSecretHandler, UpdateWebhookHandler, WebhookChanges } from './change-webhook.command.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EndpointUrl } from './endpoint-url.js';
import { EventArrivals } from './event-arrivals.js';
import { EventList, EventListLimits } from './event-list.js';
import { EventsController } from './events.controller.js';
import { GetDeliveriesHandler } from './get-deliveries.query.js';
import { GetEventsHandler } from './get-events.query.js';
import { GetWebhooksHandler } from './get-webhooks.query.js';
import { ListEndpointsHandler } from './list-endpoints.query.js';
import { RecoverDeliveriesHandler } from './recover-deliveries.command.js';
import { RegisterWebhookHandler } from './register-webhook.command.js';
import { ResendDeliveryHandler, SendTestHandler } from './send-again.command.js';
import { SandboxEventStream } from './sandbox-event-stream.js';
import { SigningSecrets } from './signing-secrets.js';
import { TriggerEventHandler } from './trigger-event.command.js';
import { SwitchEndpointHandler } from './switch-endpoint.command.js';
import { WebhookStream } from './webhook-stream.js';
import { PartnerWebhooksAdminController, WebhooksAdminController } from './webhooks.admin.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/** The partner-facing API of webhooks. Sending is a separate role: see notification-subscriber.ts and sender-loop.ts. */
@Module({
  imports: [IdempotencyModule, IdsModule, PartnersModule, FarmersModule],
  controllers: [WebhooksAdminController, PartnerWebhooksAdminController, WebhooksController, DeliveriesController, EventsController],
  providers: [
    WebhookStream,
    SigningSecrets,
    EndpointUrl,
    WebhookChanges,
    RegisterWebhookHandler,
    UpdateWebhookHandler,
    RotateSigningSecretHandler,
    DeleteWebhookHandler,
    GetWebhooksHandler,
    GetDeliveriesHandler,
    SendTestHandler,
    ResendDeliveryHandler,
    SwitchEndpointHandler,
    ListEndpointsHandler,
    RecoverDeliveriesHandler,
    EventList,
    EventListLimits,
    EventArrivals,
    GetEventsHandler,
    SandboxEventStream,
    TriggerEventHandler,
  ],
})
export class WebhooksModule {}
