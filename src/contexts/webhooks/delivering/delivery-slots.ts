import { LRUCache } from 'lru-cache';
import { chooseStarts, type InFlight, responsivenessAfter, type Responsiveness } from '../domain/fair-shares.js';

/** Endpoints whose responsiveness a sender remembers. A forgotten endpoint counts as untried again. */
const REMEMBERED = 20_000;

/** An attempt that occupies a slot until `end` is called. */
export interface Slot extends InFlight {
  lane: InFlight['lane'];
}

interface Owned {
  readonly endpoint_id: number;
  readonly partner_id: string;
}

/** The slots of one sender: which endpoints have due deliveries, how each has responded, and which attempts are in flight. */
export class DeliverySlots {
  private due: readonly Owned[] = [];
  private turn = 0;
  private readonly inFlight = new Set<Slot>();
  private readonly known = new LRUCache<number, Responsiveness>({ max: REMEMBERED });
  /** The latest turn of each endpoint, and of each partner in each lane. */
  private readonly turns = new LRUCache<string, number>({ max: 4 * REMEMBERED });

  /** Replaces the endpoints that have due deliveries. */
  setDue(due: readonly Owned[]): void {
    this.due = due;
  }

  /** Returns how many deliveries of each endpoint to claim now. */
  choose(): ReadonlyMap<number, number> {
    const due = this.due.map(({ endpoint_id, partner_id }) => {
      const responsiveness = this.responsivenessOf(endpoint_id);
      return {
        endpointId: endpoint_id,
        partnerId: partner_id,
        responsiveness,
        lastTurn: this.turns.get(String(endpoint_id)) ?? 0,
        partnerLastTurn: this.turns.get(`${responsiveness} ${partner_id}`) ?? 0,
      };
    });
    const starts = chooseStarts(due, [...this.inFlight]);
    this.turn += 1;
    for (const { endpointId, partnerId, responsiveness } of due) {
      if (!starts.has(endpointId)) continue;
      this.turns.set(String(endpointId), this.turn);
      this.turns.set(`${responsiveness} ${partnerId}`, this.turn);
    }
    return starts;
  }

  /** Forgets the endpoints that had fewer due deliveries than were chosen, until the next survey. */
  claimed(starts: ReadonlyMap<number, number>, claimed: readonly Owned[]): void {
    const counts = new Map<number, number>();
    for (const { endpoint_id } of claimed) counts.set(endpoint_id, (counts.get(endpoint_id) ?? 0) + 1);
    this.due = this.due.filter(({ endpoint_id }) => (counts.get(endpoint_id) ?? 0) >= (starts.get(endpoint_id) ?? 0));
  }

  begin({ endpoint_id, partner_id }: Owned): Slot {
    const slot: Slot = { endpointId: endpoint_id, partnerId: partner_id, lane: this.responsivenessOf(endpoint_id) };
    this.inFlight.add(slot);
    return slot;
  }

  /** Frees the slot of an attempt that did not end promptly, unless it is one of those for slow endpoints. */
  overrun(slot: Slot): void {
    this.known.set(slot.endpointId, 'slow');
    if (slot.lane !== 'slow') slot.lane = 'overrunning';
  }

  responded({ endpointId }: Slot, attempt: Parameters<typeof responsivenessAfter>[1]): void {
    this.known.set(endpointId, responsivenessAfter(this.responsivenessOf(endpointId), attempt));
  }

  end(slot: Slot): void {
    this.inFlight.delete(slot);
  }

  /** Counts attempts in flight by lane, and the slow endpoints that have due deliveries. */
  usage(): { readonly inFlight: Readonly<Record<InFlight['lane'], number>>; readonly slowEndpoints: number } {
    const inFlight = { responsive: 0, untried: 0, slow: 0, overrunning: 0 };
    for (const { lane } of this.inFlight) inFlight[lane] += 1;
    return { inFlight, slowEndpoints: this.due.filter(({ endpoint_id }) => this.responsivenessOf(endpoint_id) === 'slow').length };
  }

  private responsivenessOf(endpointId: number): Responsiveness {
    return this.known.get(endpointId) ?? 'untried';
  }
}
