import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { lacksTestFarmers } from '../../../projections/farmer-profile/farmer-profile.reader.js';
import { Clock } from '../../kernel/clock.js';
import { LOGGER, POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { DEFINITIONS_VERSION, TEST_FARMERS, type TestFarmer } from './domain/test-farmers/definitions.js';
import { FARMER_STREAMS } from './domain/farmer.js';
import { Streams } from '../../platform/event-sourcing/writing/stream-writer.js';

const ACTOR = 'sandbox';

/** Registers the test farmers that every service with sandbox partners has (decisions, "Sandbox"). */
@Injectable()
export class TestFarmers {
  private registration: Promise<void> | undefined;

  constructor(
    private readonly streams: Streams,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Completes once the read models show the test farmers in the current version. A process does it once; any number of processes may do it
   * at the same time. @throws errors of the stores
   */
  async register(): Promise<void> {
    this.registration ??= this.registerAll().catch((error: unknown) => {
      this.registration = undefined;
      throw error;
    });
    await this.registration;
  }

  /**
   * Registers or updates the test farmers of a service that has sandbox partners, for the start of a new version. A failure is logged and
   * not thrown: live partners do not depend on test farmers, and the next start or sandbox partner tries again.
   */
  async registerIfOutdated(): Promise<void> {
    try {
      const ids = TEST_FARMERS.map(({ rupa_id }) => rupa_id);
      if (await lacksTestFarmers(this.pool, ids, DEFINITIONS_VERSION)) await this.register();
    } catch (error) {
      this.logger.warn({ reason: String(error) }, 'the test farmers of the sandbox could not be registered; the next start tries again');
    }
  }

  private async registerAll(): Promise<void> {
    const committed = await Promise.all(TEST_FARMERS.map((farmer) => this.define(farmer)));
    const last = committed.reduce((one, other) => ((other.position ?? -1n) > (one.position ?? -1n) ? other : one));
    await this.readModels.waitFor(last);
  }

  private async define({ rupa_id, description, ...definition }: TestFarmer) {
    const command = { kind: 'define-test-farmer' as const, rupa_id, version: DEFINITIONS_VERSION, definition };
    const committed = await this.streams
      .of(FARMER_STREAMS)
      .execute(rupa_id, { ...command, at: this.clock.iso(), actor: ACTOR }, { mode: 'sandbox' });
    if (committed.state.status === 'unregistered' || committed.state.testVersion === undefined)
      this.logger.warn({ rupa_id }, 'this test farmer is missing, because an ordinary farmer has its Rupa ID (docs/operations.md)');
    return committed;
  }
}
