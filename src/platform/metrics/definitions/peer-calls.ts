import { Counter, type Registry } from 'prom-client';
import { PEER_TOPICS, type PeerCallObserver, type PeerCallOutcome, type PeerTopic } from '../../peers/peer-calls.js';

const OUTCOMES: readonly PeerCallOutcome[] = ['executed', 'failed'];

/** Counts the calls of this process to other APIs. */
export class PeerCallMetrics implements PeerCallObserver {
  private readonly calls: Counter<'topic' | 'outcome'>;

  constructor(registry: Registry) {
    this.calls = new Counter({
      name: 'rupa_peer_calls_total',
      help: 'Calls to other APIs by topic and outcome: about wallets that both are asked for, and reports that are not shown yet',
      labelNames: ['topic', 'outcome'],
      registers: [registry],
    });
    for (const topic of PEER_TOPICS) for (const outcome of OUTCOMES) this.calls.inc({ topic, outcome }, 0);
  }

  called(topic: PeerTopic, outcome: PeerCallOutcome): void {
    this.calls.inc({ topic, outcome });
  }
}
