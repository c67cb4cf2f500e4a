/** How an endpoint has responded to this sender: promptly; not yet; or so late that its attempts hold a slot for long. */
export type Responsiveness = 'responsive' | 'untried' | 'slow';

/** Attempts that a sender may have in flight in a lane: in total, per partner and per endpoint. */
interface Lane {
  readonly slots: number;
  readonly perPartner: number;
  readonly perEndpoint: number;
}

/** Each responsiveness has a lane of its own, so that slow endpoints cannot take the slots of responsive ones. A partner gets a quarter of a lane. */
export const LANES: Readonly<Record<Responsiveness, Lane>> = {
  responsive: { slots: 256, perPartner: 64, perEndpoint: 16 },
  untried: { slots: 64, perPartner: 16, perEndpoint: 1 },
  slow: { slots: 64, perPartner: 16, perEndpoint: 1 },
};
const DEGREES: readonly Responsiveness[] = ['responsive', 'untried', 'slow'];

/** An attempt that takes longer makes its endpoint slow, and gives up its slot in the lane of the responsive or of the untried endpoints. */
export const PROMPT_MS = 1_000;

/** Bounds the connections: beyond the first number of overrunning attempts, only partners with fewer than the second start more of them. */
export const OVERRUNNING_MAX = 512;
export const OVERRUNNING_PER_PARTNER = 8;

/** An attempt in flight. `lane` becomes `overrunning` when the attempt has given up its slot. */
export interface InFlight {
  readonly endpointId: number;
  readonly partnerId: string;
  readonly lane: Responsiveness | 'overrunning';
}

/** An endpoint with due deliveries. */
export interface DueEndpoint {
  readonly endpointId: number;
  readonly partnerId: string;
  readonly responsiveness: Responsiveness;
  /** Numbers of the latest choices that started a delivery of the endpoint and of its partner in this lane; 0 if there was none. */
  readonly lastTurn: number;
  readonly partnerLastTurn: number;
}

/**
 * Returns how many deliveries of each endpoint to start now. In each lane the partners take turns, beginning with the one whose latest turn
 * was the longest ago, and so do the endpoints of a partner. A turn starts one delivery.
 */
export function chooseStarts(due: readonly DueEndpoint[], inFlight: readonly InFlight[]): ReadonlyMap<number, number> {
  const load = new Load(inFlight);
  const starts = new Map<number, number>();
  const startNext = (endpoints: DueEndpoint[]): boolean => {
    const index = endpoints.findIndex((endpoint) => load.hasRoomFor(endpoint));
    const [chosen] = index < 0 ? [] : endpoints.splice(index, 1);
    if (!chosen) return false;
    endpoints.push(chosen);
    load.add({ ...chosen, lane: chosen.responsiveness });
    starts.set(chosen.endpointId, (starts.get(chosen.endpointId) ?? 0) + 1);
    return true;
  };
  for (const lane of DEGREES) {
    if (!load.hasSlot(lane)) continue;
    let partners = byPartner(due.filter(({ responsiveness }) => responsiveness === lane));
    while (partners.length > 0 && load.hasSlot(lane)) partners = partners.filter(startNext);
  }
  return starts;
}

/** Returns an endpoint's responsiveness after an attempt. A prompt failure does not make it slow, because it held its slot only briefly. */
export function responsivenessAfter(
  before: Responsiveness,
  attempt: { readonly delivered: boolean; readonly timedOut: boolean; readonly durationMs: number },
): Responsiveness {
  if (attempt.delivered) return 'responsive';
  if (attempt.timedOut || attempt.durationMs >= PROMPT_MS) return 'slow';
  return before === 'slow' ? 'untried' : before;
}

/** Groups endpoints by partner, in the order of their turns. */
function byPartner(due: readonly DueEndpoint[]): DueEndpoint[][] {
  const sorted = due.toSorted((a, b) => a.partnerLastTurn - b.partnerLastTurn || a.lastTurn - b.lastTurn);
  return [...Map.groupBy(sorted, ({ partnerId }) => partnerId).values()];
}

/** Counts of attempts in flight, by lane, by partner and lane, and by endpoint. */
class Load {
  private readonly counts = new Map<string, number>();

  constructor(inFlight: readonly InFlight[]) {
    for (const attempt of inFlight) this.add(attempt);
  }

  add({ endpointId, partnerId, lane }: InFlight): void {
    for (const key of [lane, `${lane} ${partnerId}`, `endpoint ${endpointId}`]) this.counts.set(key, this.count(key) + 1);
  }

  hasSlot(lane: Responsiveness): boolean {
    return this.count(lane) < LANES[lane].slots;
  }

  hasRoomFor({ endpointId, partnerId, responsiveness }: DueEndpoint): boolean {
    const { perPartner, perEndpoint } = LANES[responsiveness];
    return (
      this.hasSlot(responsiveness) &&
      this.count(`${responsiveness} ${partnerId}`) < perPartner &&
      this.count(`endpoint ${endpointId}`) < perEndpoint &&
      (responsiveness === 'slow' || this.mayOverrun(partnerId))
    );
  }

  private mayOverrun(partnerId: string): boolean {
    return this.count('overrunning') < OVERRUNNING_MAX || this.count(`overrunning ${partnerId}`) < OVERRUNNING_PER_PARTNER;
  }

  private count(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}
