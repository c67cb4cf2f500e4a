import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { createHash, randomUUID } from 'node:crypto';
import { Reflector } from '@nestjs/core';
import { canonicalize } from 'json-canonicalize';
import { type Logger } from 'pino';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { ENVELOPE_TYPE } from '../../http/envelope.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ERRORS } from '../../http/errors/error-codes.js';
import { type Fields, type Input, type InputClass } from '../../http/validating/dto.js';
import { Fails } from '../../http/openapi/errors.js';
import { invalidKey } from '../../http/authenticating/partner-authentication.js';
import { type PartnerRequest } from '../../http/authenticating/partner-context.js';
import { listOf, validateFields } from '../../http/validating/validation.js';
import { unstorable } from '../../kernel/storable.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { Rejection } from '../../platform/event-sourcing/decider.js';
import { LOGGER } from '../../platform/injection-tokens.js';
import { KEYED_INVALID, STILL_RUNNING, idempotencyKeyOf, TakesIdempotencyKey } from './idempotency-key.js';
import { type Lease, StoredResponses } from './stored-responses.js';

const SERVER_ERROR = 500;
const UNSTORABLE = Symbol('a body that cannot be stored');
const LIST = 'list of a keyed request';
const ABOUT = 'farmer of a keyed request';
/** No Rupa ID has this form. */
const INVALID_BODY = 'an invalid body';

/** Returns the farmer that a body is about, from its validated form; null if that form is about no farmer. @throws ValidationFailed */
type FarmerOf = (body: unknown) => string | null;

/**
 * Executes a request with an Idempotency-Key once, and responds to its repetitions with the stored response (decisions, "Retrying a
 * lookup" and "Your account"). If the process dies before the response is stored, a repetition runs with the same operation id.
 */
@Injectable()
export class KeepResponsesInterceptor implements NestInterceptor {
  constructor(
    private readonly responses: StoredResponses,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<PartnerRequest & OperationRequest>();
    const key = idempotencyKeyOf(request);
    const body = storableForm(request.body, this.reflector.get<string | undefined>(LIST, context.getHandler()));
    // A body that cannot be stored is refused by the validation, which follows.
    if (key === undefined || !request.partner || body === UNSTORABLE) return next.handle();
    const rupa_id = this.farmerOf(context, request.body);
    if (rupa_id === INVALID_BODY) return next.handle();
    const { partner_id, hasEndedKey } = request.partner;
    const begun = await this.responses
      .begin({ partner_id, key, rupa_id: rupa_id ?? '', request_hash: hashOf(request, body) })
      .catch((error: unknown) => {
        // To any other request than the one that it repeats, the key is an invalid one.
        throw hasEndedKey && error instanceof ApiError && error.code === 'idempotency_key_reused' ? invalidKey() : error;
      });
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (begun.kind === 'stored') {
      reply.header('Idempotent-Replayed', 'true').type(ENVELOPE_TYPE);
      return of(begun.payload);
    }
    // After a crash the operation keeps its id, which the stored response is bound to, too.
    const lease = await this.responses.resume(begun.lease);
    request.operationId = lease.lookup_id;
    const payload = JSON.stringify(await this.run(next, lease));
    await this.store(lease, payload);
    reply.type(ENVELOPE_TYPE);
    return of(payload);
  }

  /**
   * Returns the farmer under whose key the response is encrypted and with whom it is erased; null for a route that is about no farmer, whatever
   * fields its body has; INVALID_BODY for one that the route's validation, which follows, refuses.
   */
  private farmerOf(context: ExecutionContext, body: unknown): string | null {
    const farmerOf = this.reflector.get<FarmerOf | undefined>(ABOUT, context.getHandler());
    try {
      return farmerOf?.(body) ?? null;
    } catch (error) {
      if (error instanceof ValidationFailed) return INVALID_BODY;
      throw error;
    }
  }

  private async run(next: CallHandler, lease: Lease): Promise<unknown> {
    try {
      return await lastValueFrom(next.handle());
    } catch (error) {
      // Any other failed request may have been recorded, so a repetition must run with the same operation id.
      await (isRefusal(error) ? this.responses.withdraw(lease) : this.responses.abandon(lease));
      throw error;
    }
  }

  /** The request has been executed, so its response is sent even if it cannot be stored. */
  private async store(lease: Lease, payload: string): Promise<void> {
    try {
      await this.responses.store(lease, payload);
    } catch (error) {
      this.logger.warn({ err: error }, 'the response to a request with an Idempotency-Key could not be stored');
    }
  }
}

/** Makes a route take an Idempotency-Key. Its module imports IdempotencyModule, and its documentation names the replay header. */
export function KeepsResponses(): MethodDecorator {
  return applyDecorators(UseInterceptors(KeepResponsesInterceptor), TakesIdempotencyKey, Fails(STILL_RUNNING, KEYED_INVALID));
}

/** Makes a route whose requests are about a farmer take an Idempotency-Key, as {@link KeepsResponses}. */
export function KeepsResponsesAboutFarmer<T extends Input<unknown>>(
  type: InputClass<T>,
  rupaIdOf: (body: Fields<T>) => string | null,
): MethodDecorator {
  const farmerOf: FarmerOf = (body) => rupaIdOf(validateFields(type, body));
  return applyDecorators(KeepsResponses(), SetMetadata(ABOUT, farmerOf));
}

/** Makes a route whose body has a list take an Idempotency-Key. Its handler refuses a bad item alone, whatever it holds. @param field of the list */
export function KeepsResponsesOfList(field: string): MethodDecorator {
  return applyDecorators(KeepsResponses(), SetMetadata(LIST, field));
}

/** Returns whether a request was refused, so that nothing was recorded. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ApiError) return ERRORS[error.code].status < SERVER_ERROR;
  return error instanceof Rejection || error instanceof ValidationFailed;
}

/**
 * Returns a body by which a request is recognised. An item of a list that cannot be stored is refused alone, so the others must be executed
 * once: in its place is why it cannot be stored. Returns UNSTORABLE if something else cannot be stored.
 */
function storableForm(body: unknown, list: string | undefined): unknown {
  const items = list === undefined ? undefined : listOf(body, list);
  // An item may be nested as deep as the body of a single request.
  const whole = list !== undefined && items ? { ...(body as object), [list]: [] } : body;
  if (Object.keys(unstorable(whole)).length > 0) return UNSTORABLE;
  if (list === undefined || !items) return body;
  const storable = items.map((item) => {
    const problems = unstorable(item);
    return Object.keys(problems).length > 0 ? problems : item;
  });
  return { ...(whole as object), [list]: storable };
}

function hashOf({ method, url }: PartnerRequest, body: unknown): string {
  return createHash('sha256')
    .update(canonicalize({ method, path: url.split('?')[0], body: body ?? null }))
    .digest('hex');
}

export type OperationRequest = FastifyRequest & { operationId?: string };

/**
 * Injects a UUID that is the same in every execution of a request with an Idempotency-Key, so that a command which names its event by it
 * has its effect once, even if a process died before the response was stored. Without a key it is a new one.
 */
export const OperationId = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  return context.switchToHttp().getRequest<OperationRequest>().operationId ?? randomUUID();
});
