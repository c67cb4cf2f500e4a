import { type Checkpoint } from '../checkpoints.js';
import { type Projection } from '../projection.js';

/** A newer version of the service has built the read models, so this instance must not write them. */
export class SteppedDown extends Error {
  override name = 'SteppedDown';
}

/** Returns why this version of the service must not write the read models, as a sentence; undefined if it may. */
export function newerReadModel(known: ReadonlyMap<string, Checkpoint>, projections: readonly Projection[]): string | undefined {
  for (const { name, version } of projections) {
    const built = known.get(name)?.version ?? 0;
    if (built > version)
      return `The read model ${name} was built by a newer version of the service (its version is ${built}, this service supports ${version}). Run the newer service, or, to go back to this one for good, rebuild with it: rupa projections rebuild --all`;
  }
  return undefined;
}
