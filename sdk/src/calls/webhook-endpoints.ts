import {
  type DeletedWebhook,
  type DeleteWebhookResponse,
  type DisableOwnWebhookResponse,
  type EnableOwnWebhookResponse,
  type GetDeliveryResponse,
  type GetWebhookResponse,
  type ListDeliveriesData,
  type ListDeliveriesResponse,
  type ListWebhooksResponse,
  type RecoverWebhookResponse,
  type RegisteredWebhook,
  type RegisterWebhook,
  type RegisterWebhookResponse,
  type ResendDeliveryResponse,
  type RotatedSecret,
  type RotateSigningSecretResponse,
  type TestWebhookResponse,
  type UpdateWebhook,
  type UpdateWebhookResponse,
  type WebhookDelivery,
  type WebhookDeliveryWithBody,
  type WebhookEndpoint,
  type WebhookEndpointList,
  type WebhookRecovery,
} from '../api-types.generated.js';
import { withResponse, type WithResponse } from '../last-response.js';
import { PagedList } from '../paged-list.js';
import { type CallOptions, type Transport } from '../transport.js';
import { verifyWebhook } from '../verify-webhook.js';

/** Your webhook endpoints and their deliveries. Calls that name an endpoint throw `WebhookNotFoundError` if you have none with that id. */
export class WebhookEndpoints {
  /** Verifies a delivery; see {@link verifyWebhook}. */
  readonly verify = verifyWebhook;

  constructor(private readonly transport: Transport) {}

  /** Registers an endpoint. The response holds its signing secret, which no other call shows. */
  async register(endpoint: RegisterWebhook, options?: CallOptions): Promise<WithResponse<RegisteredWebhook>> {
    return await this.transport.call<RegisterWebhookResponse>('POST', '/v1/rupa/webhooks', { ...options, body: endpoint });
  }

  /** Lists the endpoints, and the events to which an endpoint may subscribe. */
  async list(options?: CallOptions): Promise<WithResponse<WebhookEndpointList>> {
    return await this.transport.call<ListWebhooksResponse>('GET', '/v1/rupa/webhooks', options);
  }

  async get(id: number, options?: CallOptions): Promise<WithResponse<WebhookEndpoint>> {
    return await this.transport.call<GetWebhookResponse>('GET', pathOf(id), options);
  }

  /** Changes the fields that are given. Enables an endpoint that its failures have disabled, but none that a call has disabled. */
  async update(id: number, changes: UpdateWebhook, options?: CallOptions): Promise<WithResponse<WebhookEndpoint>> {
    return await this.transport.call<UpdateWebhookResponse>('PATCH', pathOf(id), { ...options, body: changes });
  }

  /** Disables an endpoint: its waiting deliveries are cancelled, and it is notified of nothing until {@link enable}. */
  async disable(id: number, options?: CallOptions): Promise<WithResponse<WebhookEndpoint>> {
    return await this.transport.call<DisableOwnWebhookResponse>('POST', `${pathOf(id)}/disable`, options);
  }

  /** Enables an endpoint, whatever has disabled it. {@link recover} sends what happened meanwhile. */
  async enable(id: number, options?: CallOptions): Promise<WithResponse<WebhookEndpoint>> {
    return await this.transport.call<EnableOwnWebhookResponse>('POST', `${pathOf(id)}/enable`, options);
  }

  async delete(id: number, options?: CallOptions): Promise<WithResponse<DeletedWebhook>> {
    return await this.transport.call<DeleteWebhookResponse>('DELETE', pathOf(id), options);
  }

  /** Issues a new signing secret. The old one remains valid for a day, in the signatures of Standard Webhooks only. */
  async rotateSecret(id: number, options?: CallOptions): Promise<WithResponse<RotatedSecret>> {
    return await this.transport.call<RotateSigningSecretResponse>('POST', `${pathOf(id)}/rotate-secret`, options);
  }

  /** Sends a `webhook.test` to the endpoint. */
  async test(id: number, options?: CallOptions): Promise<WithResponse<WebhookDelivery>> {
    return await this.transport.call<TestWebhookResponse>('POST', `${pathOf(id)}/test`, options);
  }

  /**
   * Queues every event since then that the endpoint subscribes to and has not received, with what an earlier recovery has not delivered yet.
   * @param since at most 30 days ago
   * @throws ConflictError if the endpoint is disabled
   */
  async recover(id: number, since: Date, options?: CallOptions): Promise<WithResponse<WebhookRecovery>> {
    const body = { since: since.toISOString() };
    return await this.transport.call<RecoverWebhookResponse>('POST', `${pathOf(id)}/recover`, { ...options, body });
  }

  /** Lists the deliveries of an endpoint, newest first: all, or those of a status, a farmer, or a period in which they were queued. */
  deliveries(id: number, { cursor, ...query }: ListDeliveriesData['query'] = {}, options?: CallOptions): PagedList<WebhookDelivery> {
    return new PagedList(async (at) => {
      const request = { ...options, query: { ...query, cursor: at } };
      const { deliveries, next_cursor, lastResponse } = await this.transport.call<ListDeliveriesResponse>(
        'GET',
        `${pathOf(id)}/deliveries`,
        request,
      );
      return withResponse({ items: deliveries, next_cursor }, lastResponse);
    }, cursor);
  }

  /** Returns a delivery with `body`, the exact text that was or will be sent. @throws DeliveryNotFoundError */
  async delivery(id: number, deliveryId: number, options?: CallOptions): Promise<WithResponse<WebhookDeliveryWithBody>> {
    return await this.transport.call<GetDeliveryResponse>('GET', `${pathOf(id)}/deliveries/${deliveryId}`, options);
  }

  /** Sends a delivery again. @throws DeliveryNotFoundError */
  async resend(id: number, deliveryId: number, options?: CallOptions): Promise<WithResponse<WebhookDelivery>> {
    return await this.transport.call<ResendDeliveryResponse>('POST', `${pathOf(id)}/deliveries/${deliveryId}/resend`, options);
  }
}

function pathOf(id: number): string {
  return `/v1/rupa/webhooks/${id}`;
}
