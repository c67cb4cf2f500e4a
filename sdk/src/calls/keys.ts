import {
  type ListKeysResponse,
  type OwnApiKeyList,
  type RotateApiKey,
  type RotatedApiKey,
  type RotateKeyResponse,
} from '../api-types.generated.js';
import { type WithResponse } from '../last-response.js';
import { type CallOptions, type Transport } from '../transport.js';

/** The API keys of your account. */
export class Keys {
  constructor(private readonly transport: Transport) {}

  /** Lists the keys that work, newest first. No call shows the keys themselves. */
  async list(options?: CallOptions): Promise<WithResponse<OwnApiKeyList>> {
    return await this.transport.call<ListKeysResponse>('GET', '/v1/rupa/keys', options);
  }

  /**
   * Issues a key, which no other call shows, and lets the client's own key end, after a day unless you say otherwise. The client goes on to
   * use its own key: make another client with the new one.
   * @throws ConflictError while two keys that come from rotation have not expired
   */
  async rotate(rotation: RotateApiKey = {}, options?: CallOptions): Promise<WithResponse<RotatedApiKey>> {
    return await this.transport.call<RotateKeyResponse>('POST', '/v1/rupa/keys/rotate', { ...options, body: rotation });
  }
}
