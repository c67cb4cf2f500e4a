import { Controller, Get, HttpException, Inject } from '@nestjs/common';
import { type Pool } from 'pg';
import { EventStore } from '../event-sourcing/event-store.js';
import { POOL } from '../infrastructure/tokens.js';
import { ReadModelListener } from '../projecting/read-model-listener.js';
import { success, type Success } from './envelope.js';

/** Whether the service is fit to serve, and if not, why (admin.md). */
@Controller()
export class HealthController {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
  ) {}

  @Get('health/live')
  live(): Success<{ status: 'live' }> {
    return success({ status: 'live' });
  }

  @Get(['health', 'health/ready'])
  async ready(): Promise<Success<{ status: 'ready' }>> {
    const reasons = (await Promise.all([this.databaseFaults(), this.eventStoreFaults()])).flat();
    if (reasons.length > 0) throw new HttpException(reasons.join(' '), 503);
    return success({ status: 'ready' });
  }

  private async databaseFaults(): Promise<string[]> {
    try {
      const { rows } = await this.pool.query<{ projection: string }>('select projection from ops.checkpoint where fault is not null order by projection');
      return rows.map(({ projection }) => `The projection ${projection} is faulted.`);
    } catch {
      return ['The database does not answer.'];
    }
  }

  private async eventStoreFaults(): Promise<string[]> {
    try {
      const head = await this.eventStore.headPosition();
      const level = head === undefined || (await this.listener.waitFor(head));
      return level ? [] : ['The read models are behind the log.'];
    } catch {
      return ['The event store does not answer.'];
    }
  }
}
