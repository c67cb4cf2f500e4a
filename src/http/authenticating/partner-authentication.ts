import { rulesOf, withRules } from '../route-rules.js';
import { type PartnerContext, type PartnerRequest } from './partner-context.js';
import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { callerAddress, isAllowed } from '../../platform/http-server/address.js';
import { ApiError } from '../errors/api-error.js';
import { type CountedRequest, type RunningCall } from '../limiting/many-at-once.js';
import { RateLimits } from '../limiting/rate-limits.js';

/** A key that its partner has replaced, and that has ended since: `ends_at` is in milliseconds since 1970. */
export interface EndedKey {
  readonly partner: PartnerContext;
  readonly ends_at: number;
}

/**
 * The holder of an API key. `unknown`: the key was never issued or is deactivated; `ended`: the key has expired.
 */
export type ApiKeyHolder =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unlinked'; readonly key_id: string }
  | ({ readonly kind: 'ended' } & EndedKey)
  | { readonly kind: 'partner'; readonly partner: PartnerContext };

/** Finds the holder of an API key. A context implements it. */
export abstract class ApiKeyHolders {
  /** Returns the hash by which {@link holderOf} finds a key; undefined if the text does not have the form of a key. */
  abstract hashOf(key: string): string | undefined;

  abstract holderOf(keyHash: string): Promise<ApiKeyHolder>;

  /** Returns whether a key that has ended may repeat the rotation that it began with an Idempotency-Key, because its response may be lost. */
  abstract mayRepeat(key: EndedKey, idempotencyKey: string): Promise<boolean>;
}

const CHALLENGE = 'ApiKey realm="rupa"';
// The messages are fixed (interface, section 7), so the WWW-Authenticate header (RFC 9110) carries the details.
const MISTYPED = `${CHALLENGE}, error="malformed_key", error_description="This is not an API key of this service: its format or checksum is wrong. It was mistyped or cut off."`;
const UNKNOWN = `${CHALLENGE}, error="invalid_key", error_description="The key is well-formed, but was never issued by this service, has expired or has been deactivated."`;

/** Admits only active partners to a route. */
export const OnlyActivePartners: MethodDecorator = withRules({ onlyActivePartners: true });

/** Admits a key that has ended to a route that ends keys, with the Idempotency-Key of an earlier call of it (decisions, "Keys"). */
export const RepeatableWithEndedKey: MethodDecorator = withRules({ repeatableWithEndedKey: true });

/** Admits only partners in sandbox mode to a route. */
export const OnlySandboxPartners: MethodDecorator = withRules({ onlySandboxPartners: true });

/** Authenticates partners by API key (interface, sections 5 and 7), with the checks in the order of (decisions, "Checks"). */
@Injectable()
export class PartnerAuthentication {
  constructor(
    private readonly holders: ApiKeyHolders,
    private readonly limits: RateLimits,
  ) {}

  /** Runs checks 1 to 6 and sets the request's partner. @throws ApiError, TooManyRequests */
  async admit(request: CountedRequest, reply: FastifyReply): Promise<void> {
    const partner = await this.holderOf(request);
    this.limits.partnerCalls(partner, reply);
    if (rulesOf(request).takesMany) request.runningCall = this.running(partner, reply);
    request.partner = partner;
    refuseByRoute(request, partner);
  }

  /**
   * Runs the checks again, without the limit of the partner's calls. The body may have taken long to arrive, and a changed key, allow-list or section is in force
   * once the administrator's call has a response (decisions, "Checks").
   * @throws ApiError, TooManyRequests
   */
  async admitAgain(request: PartnerRequest): Promise<void> {
    request.partner = await this.holderOf(request);
    refuseByRoute(request, request.partner);
  }

  /** Counts a call as running until its response is sent, or its caller disconnects. @throws TooManyRequests */
  private running(partner: PartnerContext, reply: FastifyReply): RunningCall {
    const call = this.limits.runningCall(partner, reply);
    const release = call.hold();
    reply.raw.once('close', release);
    // The caller may have disconnected while its key was looked up.
    if (reply.raw.closed) release();
    return call;
  }

  /** Runs checks 1 to 4. */
  private async holderOf(request: PartnerRequest): Promise<PartnerContext> {
    return await this.limits.authentication(callerAddress(request), () => this.check(request));
  }

  private async check(request: PartnerRequest): Promise<PartnerContext> {
    const holder = await this.holders.holderOf((request.keyHash ??= this.keyHashOf(request)));
    if (holder.kind === 'unknown') throw invalidKey();
    if (holder.kind === 'ended' && !(await this.mayRepeat(request, holder))) throw invalidKey();
    if (holder.kind === 'unlinked') throw new ApiError('api_key_not_linked');
    if (!isAllowed(callerAddress(request), holder.partner.ip_allow_list)) throw new ApiError('ip_not_allowed');
    return holder.kind === 'ended' ? { ...holder.partner, hasEndedKey: true } : holder.partner;
  }

  private keyHashOf(request: PartnerRequest): string {
    const key = keyOf(request);
    if (key === '') throw unauthenticated('api_key_missing', CHALLENGE);
    const keyHash = this.holders.hashOf(key);
    if (keyHash === undefined) throw unauthenticated('api_key_invalid', MISTYPED);
    return keyHash;
  }

  private async mayRepeat(request: PartnerRequest, key: EndedKey): Promise<boolean> {
    const idempotencyKey = request.headers['idempotency-key'];
    if (rulesOf(request).repeatableWithEndedKey !== true || typeof idempotencyKey !== 'string') return false;
    return await this.holders.mayRepeat(key, idempotencyKey);
  }
}

/** Returns the error response to a key that is unknown, deactivated or expired. */
export function invalidKey(): ApiError {
  return unauthenticated('api_key_invalid', UNKNOWN);
}

/** Returns a 401 with its challenge (RFC 9110, section 11.6.1). */
function unauthenticated(code: 'api_key_missing' | 'api_key_invalid', challenge: string): ApiError {
  return new ApiError(code, { headers: { 'WWW-Authenticate': challenge } });
}

function keyOf({ headers }: PartnerRequest): string {
  const key = headers['x-api-key'];
  return typeof key === 'string' ? key : '';
}

/** Refuses a partner that the route does not admit, before the body is read. */
function refuseByRoute(request: PartnerRequest, { status, mode }: PartnerContext): void {
  const config = rulesOf(request);
  if (config.onlyActivePartners && status !== 'active') throw new ApiError('account_not_active');
  if (config.onlySandboxPartners && mode !== 'sandbox') throw new ApiError('sandbox_only');
}
