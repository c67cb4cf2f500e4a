import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { projectionStates } from './projection-states.js';
import { type ProjectionState } from './projections.dto.js';

/** Returns the state of every read model: its position, lag and status. */
export class GetProjections extends Query<readonly ProjectionState[]> {}

@QueryHandler(GetProjections)
export class GetProjectionsHandler implements IQueryHandler<GetProjections> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
  ) {}

  async execute(): Promise<readonly ProjectionState[]> {
    return await projectionStates({ pool: this.pool, eventStore: this.eventStore });
  }
}
