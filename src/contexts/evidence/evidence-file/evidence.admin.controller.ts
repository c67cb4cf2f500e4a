import { Controller, Get, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Body, JSON_LINES_TYPE, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { CallerGone, Deadline } from '../../../http/limiting/deadline.js';
import { AdminApi, Operation, RespondsText } from '../../../http/openapi/operation.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { EVIDENCE_EXAMPLE, EvidenceQueryDto } from './evidence.dto.js';
import { EvidenceLog } from './evidence-log.js';

/** Time limit of the first lines, long enough to count millions of events before them. */
const FIRST_LINES_DEADLINE_MS = 10 * 60_000;

const EVIDENCE =
  'The file that `rupa audit evidence` writes: every event of the log up to those of the call, in its order, with the exact texts of the log. Personal fields stay encrypted. The programs in docs/audit check it. It grows only at its end, so `from` continues an earlier file. If the service fails on the way, it closes the connection.';

@Controller('admin/v1/evidence')
@AdminApi('Audit trail')
export class EvidenceAdminController {
  private readonly log: EvidenceLog;

  constructor(
    eventStore: EventStore,
    private readonly bodies: LargeBodies,
  ) {
    this.log = new EvidenceLog(eventStore);
  }

  @Get()
  @Operation('getEvidence', 'Get the evidence file: the whole log as JSON lines, which anyone can check (docs/audit.md)', EVIDENCE)
  @RespondsText(200, 'An event per line, in the order of the log; streamed.', { [JSON_LINES_TYPE]: EVIDENCE_EXAMPLE })
  @Deadline(FIRST_LINES_DEADLINE_MS)
  async evidence(
    @Query() { from = 0 }: EvidenceQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CallerGone() signal: AbortSignal,
  ): Promise<Body> {
    return await this.bodies.lines(reply, this.log.lines({ from, signal }), `evidence-${from}.jsonl`);
  }
}
