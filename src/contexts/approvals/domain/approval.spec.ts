import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { given } from '../../../../test/support/unit/given.js';
import {
  type ApprovalCommand,
  approvalDecider,
  approvalIdOf,
  ApprovalRejection,
  type ApprovalState,
  personOf,
  statusAt,
  subjectOf,
} from './approval.js';
import { areSamePerson, type ApprovableCall, type ApprovalEvent } from './events.js';

const at = '2026-03-01T10:00:00.000Z';
const expires_at = '2026-03-08T10:00:00.000Z';
const beforeEnd = '2026-03-08T09:59:59.999Z';
const approval_id = 'a-1';
const amina = { at, actor: 'admin:amina' };
const bode = { at, actor: 'admin:bode' };
const call: ApprovableCall = {
  kind: 'credit',
  mode: 'live',
  partner_id: 'p-1',
  amount_kobo: 200_000_00,
  reference: 'r-1',
  call: { partner_id: 'p-1', amount: 200_000, reference: 'r-1', reason: 'a transfer' },
};
const request = { kind: 'request' as const, approval_id, request: call, ...amina };
const data = (by: { at: string; actor: string }) => ({ approval_id, recorded_at: by.at, actor: by.actor });
const requested: ApprovalEvent = { type: 'ApprovalRequested', data: { ...call, expires_at, ...data(amina) } };
const granted: ApprovalEvent = { type: 'ApprovalGranted', data: data(bode) };
const rejected: ApprovalEvent = { type: 'ApprovalRejected', data: { ...data(bode), reason: 'no' } };
const executed: ApprovalEvent = { type: 'ApprovalExecuted', data: data(bode) };

function stateAfter(events: readonly ApprovalEvent[]): ApprovalState | null {
  return events.reduce<ApprovalState | null>(
    (state, event, index) => approvalDecider.evolve(state, { ...event, revision: BigInt(index) }),
    null,
  );
}

describe('requesting an approval', () => {
  it('records the call and when it expires', () => {
    given(approvalDecider, []).when(request).then([requested]);
  });

  it('is the same approval for the same call while it is pending, also of another person and with another reason', () => {
    given(approvalDecider, [requested]).when(request).thenNothing();
    const again = { ...call, call: { ...call.call, reason: 'the transfer of Monday' } };
    given(approvalDecider, [requested])
      .when({ ...request, ...bode, request: again })
      .thenNothing();
  });

  it('is refused for another call with the reference', () => {
    for (const other of [
      { ...call, call: { ...call.call, amount: 300_000 } },
      { ...call, kind: 'payout' as const },
    ])
      given(approvalDecider, [requested])
        .when({ ...request, request: other })
        .thenRejected('approval_differs');
  });

  it('needs another approval once this one has ended', () => {
    for (const end of [rejected, executed]) given(approvalDecider, [requested, granted, end]).when(request).thenRejected('approval_ended');
    given(approvalDecider, [requested])
      .when({ ...request, at: expires_at })
      .thenRejected('approval_ended');
  });
});

describe('approving', () => {
  const grant = { kind: 'grant' as const, ...bode };

  it('records the second person once', () => {
    given(approvalDecider, [requested]).when(grant).then([granted]);
    for (const events of [
      [requested, granted],
      [requested, granted, executed],
    ])
      given(approvalDecider, events).when(grant).thenNothing();
  });

  it('is refused for the person who made the call, whatever the case of the name', () => {
    for (const actor of ['admin:amina', 'admin:AMINA', 'admin:Amina'])
      given(approvalDecider, [requested])
        .when({ ...grant, actor })
        .thenRejected('approver_is_requester');
  });

  it('is refused for a caller whom nothing identifies', () => {
    for (const actor of ['admin', 'cli:bode', 'service'])
      given(approvalDecider, [requested])
        .when({ ...grant, actor })
        .thenRejected('approver_unnamed');
  });

  it('is refused after a rejection and after seven days', () => {
    given(approvalDecider, []).when(grant).thenRejected('approval_unknown');
    given(approvalDecider, [requested, rejected]).when(grant).thenRejected('approval_rejected');
    given(approvalDecider, [requested])
      .when({ ...grant, at: expires_at })
      .thenRejected('approval_expired');
    given(approvalDecider, [requested])
      .when({ ...grant, at: beforeEnd })
      .then([{ type: 'ApprovalGranted', data: data({ ...bode, at: beforeEnd }) }]);
  });
});

describe('rejecting', () => {
  const reject = { kind: 'reject' as const, reason: 'no', ...bode };

  it('records the reason once, also of the person who made the call', () => {
    given(approvalDecider, [requested]).when(reject).then([rejected]);
    given(approvalDecider, [requested])
      .when({ ...reject, ...amina })
      .then([{ type: 'ApprovalRejected', data: { ...data(amina), reason: 'no' } }]);
    given(approvalDecider, [requested, rejected]).when(reject).thenNothing();
  });

  it('is refused once the call may have been executed', () => {
    given(approvalDecider, [requested, granted]).when(reject).thenRejected('approval_granted');
    given(approvalDecider, [requested, granted, executed]).when(reject).thenRejected('approval_granted');
  });
});

describe('an approval', () => {
  it('records its execution once, and only after it was granted', () => {
    const execute = { kind: 'execute' as const, ...bode };
    given(approvalDecider, [requested, granted]).when(execute).then([executed]);
    given(approvalDecider, [requested, granted, executed]).when(execute).thenNothing();
    for (const events of [[], [requested], [requested, rejected]])
      given(approvalDecider, events).when(execute).thenRejected('approval_unknown');
  });

  it('never is both rejected and executed, nor executed without another person than the one who asked', () => {
    const actor = fc.constantFrom('admin:amina', 'admin:Amina', 'admin:bode', 'admin', 'cli:bode');
    const time = fc.constantFrom(at, beforeEnd, expires_at);
    const command = fc.oneof(
      fc.record({
        kind: fc.constant('request' as const),
        approval_id: fc.constant(approval_id),
        request: fc.constant(call),
        at: time,
        actor,
      }),
      fc.record({ kind: fc.constantFrom('grant' as const, 'execute' as const), at: time, actor }),
      fc.record({ kind: fc.constant('reject' as const), reason: fc.constant('no'), at: time, actor }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), (commands: readonly ApprovalCommand[]) => {
        const events: ApprovalEvent[] = [];
        for (const each of commands) {
          try {
            events.push(...approvalDecider.decide(each, stateAfter(events)));
          } catch (error) {
            if (!(error instanceof ApprovalRejection)) throw error;
          }
        }
        const types = events.map(({ type }) => type);
        expect(new Set(types).size).toBe(types.length);
        expect(types.includes('ApprovalRejected') && types.includes('ApprovalExecuted')).toBe(false);
        if (!types.includes('ApprovalExecuted')) return;
        const { requested_by = '', granted_by = '' } = stateAfter(events) ?? {};
        expect(areSamePerson(personOf(requested_by) ?? '', personOf(granted_by) ?? '')).toBe(false);
      }),
    );
  });

  it('is pending until it expires, or ends', () => {
    expect(statusAt({ expires_at }, beforeEnd)).toBe('pending');
    expect(statusAt({ expires_at }, expires_at)).toBe('expired');
    expect(statusAt({ expires_at, ended: 'executed' }, expires_at)).toBe('executed');
  });

  it('has the same id for every call with its reference, of any kind, and another one after it ended', () => {
    const id = approvalIdOf(subjectOf(call), 0);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(approvalIdOf(subjectOf({ ...call, kind: 'payout', call: {} }), 0)).toBe(id);
    const others = [
      { ...call, partner_id: 'p-2' },
      { ...call, reference: 'r-2' },
      { ...call, kind: 'compensation' as const },
      { ...call, kind: 'ledger_entry' as const, partner_id: null },
    ];
    expect(new Set([id, approvalIdOf(subjectOf(call), 1), ...others.map((each) => approvalIdOf(subjectOf(each), 0))]).size).toBe(6);
  });

  it('of prices is told by their whole content', () => {
    const prices = { ...call, kind: 'price_publication' as const, partner_id: null, amount_kobo: null, reference: null };
    const [one, same, other] = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 3 },
    ].map((fees) => subjectOf({ ...prices, call: { fees } }));
    expect(one).toBe(same);
    expect(one).not.toBe(other);
  });
});
