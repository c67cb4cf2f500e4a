import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Observable, timeout } from 'rxjs';
import { StoreUnavailable } from '../event-sourcing/event-store.js';

/** Longer than anything that answers at all; what a stalled store still does with the command, it does. */
const DEADLINE_MS = 20_000;
const OWN_DEADLINE = 'deadline_ms';

/** For a call whose work grows with the log. */
export function Deadline(ms: number): MethodDecorator {
  return SetMetadata(OWN_DEADLINE, ms);
}

/** Nobody waits for ever: 503, and the caller may send the same again. */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const late = (): never => {
      throw new StoreUnavailable('A request was not done in time.');
    };
    const own = this.reflector.get<number | undefined>(OWN_DEADLINE, context.getHandler());
    return next.handle().pipe(timeout({ first: own ?? DEADLINE_MS, with: late }));
  }
}
