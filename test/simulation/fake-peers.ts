import { PeerCalls, type PeerReceiver, type PeerTopic } from '../../src/platform/peers/peer-calls.js';
import { type Random } from '../support/random.js';
import { type SimulatedProcess } from './process.js';
import { type Scheduler } from './scheduler.js';

const CALL_TIMEOUT_MS = 2_000;
const AVOIDED_MS = 10_000;

/** The network between the instances. */
export class PeerNetwork {
  readonly members = new Map<number, FakePeers>();
  /** Whether it loses messages, and delays some for up to a minute and a half. */
  unreliable = false;

  constructor(
    readonly scheduler: Scheduler,
    readonly random: Random,
    readonly trace: (line: string) => void,
  ) {}

  join(process: SimulatedProcess): FakePeers {
    const peers = new FakePeers(this, process);
    this.members.set(process.instance, peers);
    return peers;
  }
}

export class FakePeers extends PeerCalls {
  private respond: PeerReceiver | undefined;
  private readonly avoidedUntil = new Map<number, number>();

  constructor(
    private readonly network: PeerNetwork,
    private readonly process: SimulatedProcess,
  ) {
    super();
  }

  override start(): Promise<void> {
    return Promise.resolve();
  }

  override leave(): Promise<void> {
    this.network.members.delete(this.process.instance);
    return Promise.resolve();
  }

  override stop(): Promise<void> {
    return Promise.resolve();
  }

  /** Only wallets are shared in the simulation. */
  override receive(_topic: PeerTopic, respond: PeerReceiver): void {
    this.respond = respond;
  }

  override others(): readonly number[] {
    const { now } = this.network.scheduler;
    const isLive = (instance: number, peers: FakePeers): boolean => instance !== this.process.instance && peers.process.present;
    return [...this.network.members]
      .filter(([instance, peers]) => isLive(instance, peers) && (this.avoidedUntil.get(instance) ?? 0) <= now)
      .map(([instance]) => instance);
  }

  override async call(instance: number, _topic: PeerTopic, message: unknown): Promise<unknown> {
    const { scheduler, trace } = this.network;
    const text = JSON.stringify(message);
    return await new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        this.avoidedUntil.set(instance, scheduler.now + AVOIDED_MS);
        reject(new Error(why));
      };
      this.process.clock.after(CALL_TIMEOUT_MS, () => {
        fail('No response.');
      });
      this.carry(() => {
        const receiver = this.network.members.get(instance);
        receiver?.process.deliver('message', () => {
          trace(`${receiver.process.name} executes commands of ${this.process.name}`);
          void receiver.respond?.(JSON.parse(text)).then((response) => {
            const reply = JSON.stringify(response);
            this.carry(() => {
              this.process.deliver('message', () => {
                resolve(JSON.parse(reply));
              });
            });
          });
        });
      });
    });
  }

  /** Carries a message: mostly within some milliseconds, sometimes late or never. */
  private carry(deliver: () => void): void {
    const { random, scheduler, unreliable } = this.network;
    const fate = unreliable ? random.weighted({ arrives: 8, isLate: 1, isLost: 1 }) : 'arrives';
    if (fate === 'isLost') return;
    scheduler.after(fate === 'isLate' ? random.between(500, 85_000) : random.between(1, 12), deliver);
  }
}
