import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { type FastifyInstance } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { type PartnerRequest } from '../authenticating/partner-context.js';
import { type RouteRules, withRules } from '../route-rules.js';

const MEBIBYTE = 1024 * 1024;
/** Bytes of a body with many items (decisions, "Many at once"). */
export const MAX_LIST_BYTES = MEBIBYTE;
export const LIST_TOO_LARGE = `The request body is larger than ${MAX_LIST_BYTES / MEBIBYTE} MiB. Send fewer items in each call.`;
/** Calls with many items that a partner may have running, all routes together. */
export const MAX_RUNNING = 4;
export const TOO_MANY_RUNNING = `${MAX_RUNNING} calls with many items are running for your account. Retry after the time in the Retry-After header.`;

/** A call that counts as running as long as anything holds it. */
export class RunningCall {
  private holders = 0;

  /** @param onEnd is called when nothing holds the call any more */
  constructor(private readonly onEnd: () => void) {}

  /** Returns a function that ends the hold; further calls of it do nothing. */
  hold(): () => void {
    this.holders += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holders -= 1;
      if (this.holders === 0) this.onEnd();
    };
  }
}

/**
 * Counts the calls of each partner that are running. Every process counts on its own: behind a balancer, a partner may have
 * {@link MAX_RUNNING} of them running on each API. What the limit protects, the memory and the connections of a process, is each API's own, too.
 */
export class RunningCalls {
  private readonly running = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /** Returns how many more calls the partner may begin. */
  left(partnerId: string): number {
    return this.limit - (this.running.get(partnerId) ?? 0);
  }

  /** Begins a call; undefined if too many are running. */
  begin(partnerId: string): RunningCall | undefined {
    if (this.left(partnerId) <= 0) return undefined;
    this.running.set(partnerId, (this.running.get(partnerId) ?? 0) + 1);
    return new RunningCall(() => {
      const others = (this.running.get(partnerId) ?? 1) - 1;
      if (others === 0) this.running.delete(partnerId);
      else this.running.set(partnerId, others);
    });
  }
}

export type CountedRequest = PartnerRequest & { runningCall?: RunningCall };

/**
 * Lets a call count as running until its handler has ended, also if its caller has hung up or its deadline has passed: a caller that hangs up
 * and calls again would otherwise have any number of them at work.
 */
@Injectable()
export class HoldsRunningCall implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const release = context.switchToHttp().getRequest<CountedRequest>().runningCall?.hold();
    return next.handle().pipe(finalize(() => release?.()));
  }
}

/** Declares that a route takes many items: its body may have 1 MiB, and a partner has at most four such calls running. */
export function ManyAtOnce(): MethodDecorator {
  return applyDecorators(withRules({ takesMany: true }), UseInterceptors(HoldsRunningCall));
}

/** Sets the limit of the bodies of routes that take many items. */
export function acceptLists(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if ((route.config as RouteRules | undefined)?.takesMany) route.bodyLimit = MAX_LIST_BYTES;
  });
}
