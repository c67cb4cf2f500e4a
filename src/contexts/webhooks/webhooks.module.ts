import { Module } from '@nestjs/common';
import { IdsModule } from '../../platform/ids/ids.js';
import { FarmersModule } from '../farmers/farmers.module.js';
import { PartnersModule } from '../partners/partners.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import {
  DeleteWebhookHandler,
  RotateSigningSecretHandler,
  UpdateWebhookHandler,
  WebhookChanges,
} from './endpoints/change-webhook.command.js';
import { DeliveriesController } from './delivering/deliveries.controller.js';
import { EndpointFinder } from './endpoints/endpoint-finder.js';
import { EndpointUrl } from './endpoints/endpoint-url.js';
import { EventArrivals } from './events/event-arrivals.js';
import { EventList, EventListLimits } from './events/event-list.js';
import { EventsController } from './events/events.controller.js';
import { GetDeliveriesHandler } from './delivering/get-deliveries.query.js';
import { GetDeliveryHandler } from './delivering/get-delivery.query.js';
import { GetEventsHandler } from './events/get-events.query.js';
import { GetWebhooksHandler } from './endpoints/get-webhooks.query.js';
import { ListEndpointsHandler } from './endpoints/list-endpoints.query.js';
import { RecoverDeliveriesHandler } from './delivering/recover-deliveries.command.js';
import { RegisterWebhookHandler } from './endpoints/register-webhook.command.js';
import { ResendDeliveryHandler, SendTestHandler } from './delivering/send-again.command.js';
import { SigningSecrets } from './endpoints/signing-secrets.js';
import { TriggerEventHandler } from './test-events/trigger-event.command.js';
import { SwitchEndpointHandler } from './endpoints/switch-endpoint.command.js';
import { PartnerWebhooksAdminController, WebhooksAdminController } from './endpoints/webhooks.admin.controller.js';
import { WebhooksController } from './endpoints/webhooks.controller.js';

/** The partner-facing API of webhooks. Sending is a separate role: see notification-subscriber.ts and sender-loop.ts. */
@Module({
  imports: [IdempotencyModule, IdsModule, PartnersModule, FarmersModule],
  controllers: [WebhooksAdminController, PartnerWebhooksAdminController, WebhooksController, DeliveriesController, EventsController],
  providers: [
    SigningSecrets,
    EndpointUrl,
    WebhookChanges,
    EndpointFinder,
    RegisterWebhookHandler,
    UpdateWebhookHandler,
    RotateSigningSecretHandler,
    DeleteWebhookHandler,
    GetWebhooksHandler,
    GetDeliveriesHandler,
    GetDeliveryHandler,
    SendTestHandler,
    ResendDeliveryHandler,
    SwitchEndpointHandler,
    ListEndpointsHandler,
    RecoverDeliveriesHandler,
    EventList,
    EventListLimits,
    EventArrivals,
    GetEventsHandler,
    TriggerEventHandler,
  ],
})
export class WebhooksModule {}
