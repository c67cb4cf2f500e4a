/** A newer version of the service has built the read models, so this instance must not write them. */
export class SteppedDown extends Error {
  override name = 'SteppedDown';
}
