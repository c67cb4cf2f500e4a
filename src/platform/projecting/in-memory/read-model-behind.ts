import { StoreUnavailable } from '../../event-sourcing/event-store-client/store-errors.js';

/** A read model does not show everything that a response needs: it is faulted, or its projector is stopped or slow. */
export class ReadModelBehind extends StoreUnavailable {
  override name = 'ReadModelBehind';

  constructor(readonly readModel: string) {
    super(`The read model ${readModel} does not show everything that this call needs yet. Please retry with backoff.`);
  }
}
