import { type FastifyInstance } from 'fastify';
import { type ReadModels, ReadModelBehind } from '../platform/projecting/read-models.js';
import { type Staleness } from '../platform/projecting/in-memory/staleness.js';
import { PARTNER_ROUTES } from './authenticating/authenticate-requests.js';
import { hookOf } from './limiting/deadline.js';
import { type NeededReadModels, rulesOf } from './route-rules.js';

/** By these the caller of a partner's route is known. */
const OF_PARTNERS = ['api_key', 'partner'];
const NONE: readonly string[] = [];

interface Parts {
  readonly staleness: Pick<Staleness, 'ageOf' | 'newestNotIn'>;
  readonly readModels: Pick<ReadModels, 'waitForPosition'>;
  /** The age in ms up to which read models may lag that a response may show as they were. */
  readonly maxStalenessMs: number;
}

/**
 * Refuses a call with 503 if a read model that its route declares does not show enough, and names it (admin, "Ready means"). All other calls
 * go on.
 */
export function needReadModels(fastify: FastifyInstance, { staleness, readModels, maxStalenessMs }: Parts): void {
  const isTooOld = (model: string): boolean => staleness.ageOf(model, 'others') > maxStalenessMs;
  const refuseTooOld = (models: readonly string[]): void => {
    const old = models.find(isTooOld);
    if (old !== undefined) throw new ReadModelBehind(old);
  };
  const showWhole = hookOf(async (request) => {
    for (const model of rulesOf(request).reads?.whole ?? NONE) {
      const position = staleness.newestNotIn(model);
      if (position !== undefined) await readModels.waitForPosition(position, [model]);
    }
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    const { whole = NONE, recent = NONE }: NeededReadModels = rulesOf(request).reads ?? {};
    try {
      refuseTooOld(recent);
      if (request.routeOptions.url?.startsWith(PARTNER_ROUTES)) refuseTooOld(OF_PARTNERS);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (whole.some((model) => staleness.newestNotIn(model) !== undefined)) showWhole(request, reply, done);
    else done();
  });
}
