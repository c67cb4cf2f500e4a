import { type Trouble } from '../kernel/trouble.js';

export interface StateOfService {
  /** A sentence for each reason why this process is not ready; none means ready. */
  readonly faults: readonly string[];
  /** Why some calls are refused. */
  readonly degradedBy: readonly Trouble[];
}

/** Says the same of this process as /health. The application implements it, because the console imports nothing of the application. */
export abstract class ServiceState {
  abstract read(): Promise<StateOfService>;
}
