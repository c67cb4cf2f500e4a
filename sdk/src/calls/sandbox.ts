import {
  type AddPlayMoneyResponse,
  type ResetSandboxResponse,
  type SandboxCredited,
  type SandboxEvent,
  type SandboxReset,
  type TriggeredSandboxEvent,
  type TriggerEventResponse,
} from '../api-types.generated.js';
import { type WithResponse } from '../last-response.js';
import { type CallOptions, type Transport } from '../transport.js';

/** Calls for the keys of sandbox accounts. They throw `SandboxOnlyError` for the key of a live account. */
export class Sandbox {
  constructor(private readonly transport: Transport) {}

  /** Adds play money, at most NGN 1,000,000. */
  async addPlayMoney(amount: number, options?: CallOptions): Promise<WithResponse<SandboxCredited>> {
    return await this.transport.call<AddPlayMoneyResponse>('POST', '/v1/rupa/sandbox/wallet/credits', { ...options, body: { amount } });
  }

  /**
   * Makes an event for your endpoints and your list of events, with or without a consent. Its `data` has `"test": true`.
   * @throws FarmerNotFoundError
   */
  async triggerEvent(event: SandboxEvent, options?: CallOptions): Promise<WithResponse<TriggeredSandboxEvent>> {
    return await this.transport.call<TriggerEventResponse>('POST', '/v1/rupa/sandbox/events', { ...options, body: event });
  }

  /**
   * Forgets, within seconds, what you reported about test farmers, your consents for them, and the events and deliveries about them, and
   * frees their references. Your wallet, lookups, compliance and endpoints stay.
   */
  async reset(options?: CallOptions): Promise<WithResponse<SandboxReset>> {
    return await this.transport.call<ResetSandboxResponse>('POST', '/v1/rupa/sandbox/reset', { ...options });
  }
}
