import { Injectable, type INestApplicationContext } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { Streams } from '../../platform/event-sourcing/writing/stream-writer.js';
import { type Input } from '../../http/validating/dto.js';
import { type RejectionDto } from './approvals.dto.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import {
  APPROVAL_STREAMS,
  type ApprovalCommand,
  approvalIdOf,
  ApprovalRejection,
  type ApprovalState,
  ApprovalWaits,
  personOf,
  statusAt,
  subjectOf,
} from './domain/approval.js';
import { APPROVAL_LIMIT_ID, APPROVAL_LIMIT_STREAMS } from './domain/approval-limit.js';
import { type ApprovableCall, type Approval, type ApprovalKind } from './domain/events.js';

/** The part of a call's approval that a check of the call finds out; undefined if the call would change nothing. */
export type Foreseen = Omit<ApprovableCall, 'kind' | 'call'> | undefined;

/** A call in the words of the log, by which the event that it appended is found. */
export type RecordedCall = Pick<ApprovableCall, 'mode' | 'partner_id' | 'reference'>;

/** A kind of call that a second person may have to approve. The handler of its command implements it. */
export interface Approvable<Asked = unknown> {
  readonly approvalKind: ApprovalKind;
  /**
   * Makes the command of a recorded call, whose events name the requester as actor. The call is validated like any other input, because the
   * rules may have changed since. @throws ValidationFailed
   */
  commandOf(call: ApprovableCall['call'], actor: string, approval?: Approval): Asked;
  /** Checks the command and appends nothing. @throws what its execution would throw */
  foresee(command: Asked): Promise<Foreseen>;
  /** Executes the command, after {@link FourEyes.admit} unless it has an approval. */
  execute(command: Asked): Promise<unknown>;
  /** Returns whether an event of the call that names the approval is in the log. */
  isExecuted(call: RecordedCall, approvalId: string): Promise<boolean>;
}

/** Lets no call above the amount in force go ahead before a second person approved it (finance, "Four eyes"; docs/adr/0060). */
@Injectable()
export class FourEyes {
  private readonly kinds = new Map<string, Approvable>();

  constructor(
    private readonly streams: Streams,
    private readonly eventStore: EventStore,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  register(approvable: Approvable): void {
    this.kinds.set(approvable.approvalKind, approvable);
  }

  /**
   * Returns if the command needs no second person. The amount in force is that of the log, whatever the environment of this process says.
   * @param input of the command; with `target`, which has its defaults, too, it is what {@link Approvable.commandOf} makes the command of
   * @throws ApprovalWaits if it needs one; Rejection `approver_unnamed` if the requester has no name; what the call itself would throw
   */
  async admit<Asked extends { readonly actor: string }>(
    approvable: Approvable<Asked>,
    command: Asked,
    input: Input<unknown>,
    target: ApprovableCall['call'] = {},
  ): Promise<void> {
    const { state: limit_kobo } = await this.streams.of(APPROVAL_LIMIT_STREAMS).load(APPROVAL_LIMIT_ID);
    if (limit_kobo === null) return;
    const foreseen = await approvable.foresee(command);
    if (foreseen?.mode !== 'live' || (foreseen.amount_kobo !== null && foreseen.amount_kobo <= limit_kobo)) return;
    if (personOf(command.actor) === undefined) throw new ApprovalRejection('approver_unnamed');
    // As the log gives it back, and without the fields that count as not sent: the call must be the same with and without them.
    const call = JSON.parse(JSON.stringify(Object.assign({}, input, target), sentValue)) as ApprovableCall['call'];
    throw new ApprovalWaits(await this.request({ kind: approvable.approvalKind, call, ...foreseen }, command.actor));
  }

  /**
   * Approves and executes a call, or returns what was approved and executed before.
   * @throws Rejection of the call if it does not hold any more, and of the approval
   */
  async approve(approvalId: string, actor: string): Promise<ApprovalState> {
    const state = await this.load(approvalId);
    const approvable = this.kindOf(state);
    // Decided first without an append, so that a call that does not hold stays pending.
    APPROVAL_STREAMS.decider.decide({ kind: 'grant', at: this.clock.iso(), actor }, state);
    if (state.ended === 'executed') return state;
    if (state.granted_by !== undefined && (await approvable.isExecuted(state, approvalId))) return await this.finish(approvalId, actor);
    if (statusAt(state, this.clock.iso()) === 'expired') throw new ApprovalRejection('approval_expired');
    let reason: unknown = new ApprovalRejection('approval_obsolete');
    try {
      if (await approvable.foresee(approvable.commandOf(state.call, state.requested_by)))
        await this.grantAndExecute(approvable, state, actor);
    } catch (error) {
      reason = error;
    }
    // The log decides: another person may have approved and executed it at the same moment, after which it holds no more, and another call
    // may have used the reference.
    if (!(await approvable.isExecuted(state, approvalId))) throw reason as Error;
    return await this.finish(approvalId, actor);
  }

  private async grantAndExecute(approvable: Approvable, { approval_id, call, requested_by }: ApprovalState, actor: string): Promise<void> {
    const { granted_by: approved_by } = await this.command(approval_id, { kind: 'grant', at: this.clock.iso(), actor });
    if (approved_by === undefined) throw new Error('An approval that was granted names nobody.');
    await approvable.execute(approvable.commandOf(call, requested_by, { approval_id, approved_by }));
  }

  /** Rejects a call. @throws Rejection of the approval */
  async reject(approvalId: string, { reason }: RejectionDto, actor: string): Promise<ApprovalState> {
    return await this.command(approvalId, { kind: 'reject', reason, at: this.clock.iso(), actor });
  }

  /** Returns whether an event names the approval. @param revision undefined for an event that is not there */
  async isApprovedBy(stream: string, revision: bigint | undefined, approvalId: string): Promise<boolean> {
    const event = revision === undefined ? undefined : await this.eventStore.eventIn(stream, revision);
    return event?.data.approval_id === approvalId;
  }

  private async request(requested: ApprovableCall, actor: string): Promise<ApprovalState> {
    const subject = subjectOf(requested);
    for (let ended = 0; ; ended += 1) {
      const approval_id = approvalIdOf(subject, ended);
      try {
        return await this.command(approval_id, { kind: 'request', approval_id, request: requested, at: this.clock.iso(), actor });
      } catch (error) {
        if (!(error instanceof ApprovalRejection && error.code === 'approval_ended')) throw error;
      }
    }
  }

  private async finish(approvalId: string, actor: string): Promise<ApprovalState> {
    return await this.command(approvalId, { kind: 'execute', at: this.clock.iso(), actor });
  }

  private async command(approvalId: string, command: ApprovalCommand): Promise<ApprovalState> {
    const committed = await this.streams.of(APPROVAL_STREAMS).execute(approvalId, command);
    await this.readModels.waitFor(committed);
    if (!committed.state) throw new ApprovalRejection('approval_unknown');
    return committed.state;
  }

  private async load(approvalId: string): Promise<ApprovalState> {
    const { state } = await this.streams.of(APPROVAL_STREAMS).load(approvalId);
    if (!state) throw new ApprovalRejection('approval_unknown');
    return state;
  }

  private kindOf({ kind }: ApprovalState): Approvable {
    const approvable = this.kinds.get(kind);
    if (!approvable) throw new Error(`No handler executes approvals of the kind ${kind}.`);
    return approvable;
  }
}

/** Returns the value of a field, or undefined if it counts as not sent. */
function sentValue(_field: string, value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}

/**
 * Records the amount above which a second person is needed if it is another than the one in force, so that every process obeys it and the
 * evidence shows the change. The API that starts last decides.
 * @param limit_kobo integer kobo; null if nothing needs a second person
 */
export async function recordApprovalLimit(app: INestApplicationContext, limit_kobo: number | null): Promise<void> {
  const set = { limit_kobo, at: app.get(Clock).iso(), actor: 'service' };
  await app.get(Streams).of(APPROVAL_LIMIT_STREAMS).execute(APPROVAL_LIMIT_ID, set);
}
