import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { checkpointDecider, checkpointKeyDecider, type IssueKey, type SignCheckpoint } from './make-checkpoint.js';

const first: SignCheckpoint = {
  number: 1,
  tree_size: 2,
  root: 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
  note: 'note\n',
  at: '2026-11-21T00:00:05.000Z',
  actor: 'service',
};
const second = { ...first, number: 2, at: '2026-11-22T00:00:05.000Z' };
const made = ({ at, ...data }: SignCheckpoint) => ({ type: 'CheckpointSigned' as const, data: { ...data, recorded_at: at } });

describe('making a checkpoint', () => {
  it('begins with number 1 and continues with the next', () => {
    given(checkpointDecider, [])
      .when(first)
      .then([made(first)]);
    given(checkpointDecider, [made(first)])
      .when(second)
      .then([made(second)]);
  });

  it('continues the numbers of the checkpoints over heads, which earlier releases made', () => {
    given(checkpointDecider, [{ type: 'CheckpointMade', data: { ...made(first).data, leaves_id: 'leaves-1' } }])
      .when(second)
      .then([made(second)]);
  });

  it('is rejected when another checkpoint was made in the meantime', () => {
    given(checkpointDecider, [made(first)])
      .when(first)
      .thenRejected('checkpoint_superseded');
  });

  it('is rejected with a time before that of the last checkpoint', () => {
    given(checkpointDecider, [made(first)])
      .when({ ...second, at: '2026-11-20T00:00:00.000Z' })
      .thenRejected('checkpoint_superseded');
  });
});

describe('issuing a key for checkpoints', () => {
  const key: IssueKey = { number: 1, name: 'rupa.example/log', verifier_key: 'k1', at: first.at, actor: 'service' };
  const next = { ...key, number: 2, verifier_key: 'k2' };
  const issued = ({ at, ...data }: IssueKey) => ({ type: 'CheckpointKeyIssued' as const, data: { ...data, recorded_at: at } });

  it('begins with number 1 and continues with the next', () => {
    given(checkpointKeyDecider, [])
      .when(key)
      .then([issued(key)]);
    given(checkpointKeyDecider, [issued(key)])
      .when(next)
      .then([issued(next)]);
  });

  it('does nothing for the current key', () => {
    given(checkpointKeyDecider, [issued(key)])
      .when(key)
      .thenNothing();
  });

  it('is rejected when another key was issued in the meantime', () => {
    given(checkpointKeyDecider, [issued(key)])
      .when({ ...key, verifier_key: 'k2' })
      .thenRejected('checkpoint_superseded');
  });
});
