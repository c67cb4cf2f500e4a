import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Observable, timeout } from 'rxjs';
import { StoreUnavailable } from '../event-sourcing/event-store.js';

/** Longer than anything that answers at all; what a stalled store still does with the command, it does. */
const DEADLINE_MS = 20_000;

/** Nobody waits for ever: 503, and the caller may send the same again. */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const late = (): never => {
      throw new StoreUnavailable('A request was not done in time.');
    };
    return next.handle().pipe(timeout({ first: DEADLINE_MS, with: late }));
  }
}
