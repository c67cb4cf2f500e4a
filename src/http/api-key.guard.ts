import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable, UnauthorizedException } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { isAllowed } from './address.js';
import { ApiKeyHolders } from './api-key-holders.js';
import { type PartnerRequest } from './partner-context.js';
import { RateLimits } from './rate-limits.js';

const INVALID = 'The provided API key is invalid or has been deactivated.';
// The messages are fixed (interface, section 7), so the WWW-Authenticate header (RFC 9110) carries the details.
const MISTYPED =
  ', error="malformed_key", error_description="This is not an API key of this service: its format or checksum is wrong. It was mistyped or cut off."';
const UNKNOWN =
  ', error="invalid_key", error_description="The key is well-formed, but was never issued by this service or has been deactivated."';

/** Authenticates partners by API key (interface, sections 5 and 7), with the checks in the order of (decisions, "Checks"). */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly holders: ApiKeyHolders,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<PartnerRequest>();
    const reply = http.getResponse<FastifyReply>();
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') return await this.refuse(request, reply, 'API key is required in the X-API-KEY header.');
    const holder = await this.holders.holderOf(key);
    if (holder.kind === 'malformed') return await this.refuse(request, reply, INVALID, MISTYPED);
    if (holder.kind === 'unknown') return await this.refuse(request, reply, INVALID, UNKNOWN);
    if (holder.kind === 'unlinked') throw new ForbiddenException('This API key is not linked to a Rupa partner account.');
    if (!isAllowed(request.ip, holder.partner.ip_allow_list)) {
      throw new ForbiddenException('This partner account is not permitted from your IP address.');
    }
    await this.limits.partnerCalls(holder.partner, reply);
    request.partner = holder.partner;
    return true;
  }

  private async refuse({ ip }: PartnerRequest, reply: FastifyReply, message: string, explanation = ''): Promise<never> {
    await this.limits.failedAuthentication(ip);
    reply.header('WWW-Authenticate', `ApiKey realm="rupa"${explanation}`);
    throw new UnauthorizedException(message);
  }
}

/** Admits only active partners, to billed endpoints. It must run after {@link ApiKeyGuard}. */
@Injectable()
export class ActivePartnerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { partner } = context.switchToHttp().getRequest<PartnerRequest>();
    if (partner?.status === 'active') return true;
    throw new ForbiddenException('Your partner account is pending. Contact the provider to activate API access.');
  }
}
