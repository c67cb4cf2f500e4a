import { type ServiceState, type StateOfService } from '../../console/service-state.js';
import { type Readiness } from './readiness.js';

/** Pages that are open at the same time share one probe of the stores. */
const KEPT_MS = 4_000;

/** Shares the readiness among the pages of the console: however many are open, the stores are probed every few seconds at most. */
export class SharedReadiness implements ServiceState {
  private probe: { readonly atMs: number; readonly state: Promise<StateOfService> } | undefined;

  constructor(private readonly readiness: Pick<Readiness, 'faults' | 'degradedBy'>) {}

  async read(): Promise<StateOfService> {
    const now = performance.now();
    if (!this.probe || now - this.probe.atMs > KEPT_MS) this.probe = { atMs: now, state: this.ask() };
    return await this.probe.state;
  }

  private async ask(): Promise<StateOfService> {
    const [faults, degradedBy] = await Promise.all([this.readiness.faults(), this.readiness.degradedBy()]);
    return { faults, degradedBy };
  }
}
