import { type IdKind } from '../../src/platform/ids/domain/events.js';
import { type Draws } from './draws.js';
import { emptyHead, KINDS } from './kinds.js';
import { type Round } from './round.js';

/** Number of ids per reservation, as in `ids.ts`. */
const BLOCK: Readonly<Record<IdKind, number>> = { contribution: 256, endpoint: 1 };
const IDS_ID = 'main';

/** Hands out integer ids from blocks that are reserved in the log, like the service, which therefore continues after the last block. */
export class Numbering {
  private head = emptyHead(KINDS.ids);
  private readonly given: Record<IdKind, number> = { contribution: 0, endpoint: 0 };

  constructor(private readonly draw: Draws) {}

  next(round: Round, kind: IdKind): number {
    if (this.given[kind] === this.head.state[kind]) {
      const reserve = { kind, count: BLOCK[kind], at: round.now(), actor: 'service' };
      this.head = round.decide(KINDS.ids, IDS_ID, this.head, reserve, { correlationId: this.draw.uuid() });
    }
    this.given[kind] += 1;
    return this.given[kind];
  }
}
