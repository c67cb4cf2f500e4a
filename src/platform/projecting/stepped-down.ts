/** Read models were built by a newer version of the service: this one must not write them. */
export class SteppedDown extends Error {
  override name = 'SteppedDown';
}
