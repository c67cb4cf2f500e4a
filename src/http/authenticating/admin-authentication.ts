import { applyDecorators, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { REASON_HEADER, reasonIn } from './access-reason.js';
import { ApiError } from '../errors/api-error.js';
import { callerAddress } from '../../platform/http-server/address.js';
import { actorOf, AdminTokens, type TokenHolder } from './admin-tokens.js';
import { CallTickets } from '../limiting/call-tickets.js';
import { RateLimits } from '../limiting/rate-limits.js';
import { rulesOf, withRules } from '../route-rules.js';
import { type AdminRequest } from './record-admin-calls.js';

const CHALLENGE = 'Bearer realm="rupa admin"';

const NO_PERSONAL_DATA = 'This token may not read farmers’ personal data.';

/** Refuses auditors a route that responds with farmers' personal data, and records the reason of an administrator who calls it. */
export const ReadsPersonalData = applyDecorators(withRules({ readsPersonalData: true, takesReason: true }), REASON_HEADER);

/** Records the reason of a call to a route that responds with personal data if the caller asks for it. */
export const TakesReason = applyDecorators(withRules({ takesReason: true }), REASON_HEADER);

/** Admits auditors to a route that changes nothing, although it is no GET: what it reads with comes in a body, or it starts a check. */
export const ChangesNothing: MethodDecorator = withRules({ changesNothing: true });

/** Admits administrators to all calls, and auditors to those that only read, without farmers' personal data, by bearer token (admin). */
@Injectable()
export class AdminAuthentication {
  constructor(
    private readonly tokens: AdminTokens,
    private readonly limits: RateLimits,
    private readonly tickets: CallTickets,
  ) {}

  /** Sets the request's administrator and reason. @throws ApiError `token_invalid`, `role_not_allowed`; TooManyRequests; ValidationFailed */
  async admit(request: AdminRequest): Promise<void> {
    const { authorization = '' } = request.headers;
    request.administrator = this.tickets.redeem(authorization) ?? (await this.signIn(callerAddress(request), bearerOf(authorization)));
    const { readsPersonalData = false, takesReason = false, changesNothing = false } = rulesOf(request);
    // HEAD is answered by the route of GET, without the body.
    const onlyReads = ['GET', 'HEAD'].includes(request.method) || changesNothing;
    if (request.administrator.role === 'auditor' && !onlyReads) throw new ApiError('role_not_allowed');
    if (readsPersonalData) assertMayReadPersonalData(request.administrator);
    if (takesReason) request.reason = reasonIn(request.headers);
  }

  /** Returns the holder of a token. @throws ApiError `token_invalid`; TooManyRequests after too many wrong ones from this address */
  async signIn(address: string, token: string): Promise<TokenHolder> {
    return await this.check(address, () => this.holderOf(token));
  }

  /**
   * Checks a credential, such as the code of an OpenID provider. A 401 of the check counts as a failed authentication.
   * @throws TooManyRequests instead of a 401 after too many of these from this address
   */
  async check<T>(address: string, check: () => T | Promise<T>): Promise<T> {
    return await this.limits.authentication(address, check);
  }

  private holderOf(token: string): TokenHolder {
    if (token === '') throw refused(CHALLENGE);
    const holder = this.tokens.holder(token);
    if (!holder) throw refused(`${CHALLENGE}, error="invalid_token"`);
    return holder;
  }
}

function bearerOf(authorization: string): string {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
}

/** @throws ApiError `role_not_allowed` for an auditor, who sees that data was used, and never the data */
export function assertMayReadPersonalData({ role }: Pick<TokenHolder, 'role'>): void {
  if (role !== 'admin') throw new ApiError('role_not_allowed', { message: NO_PERSONAL_DATA });
}

/** Returns a 401 with its challenge (RFC 9110, section 11.6.1). */
function refused(challenge: string): ApiError {
  return new ApiError('token_invalid', { headers: { 'WWW-Authenticate': challenge } });
}

/** Injects the name of the calling administrator, which the events of the command record. */
export const Actor = createParamDecorator((_data: unknown, context: ExecutionContext): string => actorOf(holderIn(context)));

/** Injects the calling administrator or auditor. */
export const Administrator = createParamDecorator((_data: unknown, context: ExecutionContext): TokenHolder => holderIn(context));

/** Injects the reason that the caller gave on a route that takes one; undefined without one. */
export const Reason = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string | undefined => context.switchToHttp().getRequest<AdminRequest>().reason,
);

function holderIn(context: ExecutionContext): TokenHolder {
  const { administrator } = context.switchToHttp().getRequest<AdminRequest>();
  if (!administrator) throw new Error('This route is not among those of administrators.');
  return administrator;
}
