import { Counter, type Registry } from 'prom-client';
import { type PeerCallObserver, type PeerCallOutcome } from '../../peers/peer-calls.js';

const OUTCOMES: readonly PeerCallOutcome[] = ['executed', 'failed'];

/** Counts the calls of this process to other APIs. */
export class PeerCallMetrics implements PeerCallObserver {
  private readonly calls: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.calls = new Counter({
      name: 'rupa_peer_calls_total',
      help: 'Calls to other APIs because they write a wallet that both are asked for, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of OUTCOMES) this.calls.inc({ outcome }, 0);
  }

  called(outcome: PeerCallOutcome): void {
    this.calls.inc({ outcome });
  }
}
