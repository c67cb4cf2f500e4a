import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { VerifyWallet } from '../../wallet/public.js';
import { CheckpointKeys } from './checkpoint-keys.js';
import { type Checkpoint, CheckpointLog } from './checkpoint-log.js';
import { leafHash, rootOf } from '../domain/merkle.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';
import { openNote, parseVerifierKey } from '../domain/signed-note.js';
import { headOf, parseTreeHead } from '../domain/tree-head.js';

export interface CheckpointFault {
  /** The wallet that does not contain its head; null if the checkpoint itself is at fault. */
  readonly partner_id: string | null;
  /** Says what is wrong, as a sentence for the auditor. */
  readonly message: string;
}

export interface CheckpointVerification {
  readonly ok: boolean;
  /** The checkpoint of the note; null if the note is malformed, or none of the keys signed it. */
  readonly number: number | null;
  readonly made_at: string | null;
  /** Wallets that were verified. */
  readonly wallets: number;
  readonly faults: readonly CheckpointFault[];
}

export interface VerifyCheckpointOptions {
  /** A note that was kept outside; without it, the latest checkpoint of the log is verified. */
  readonly note?: string | undefined;
  /** Verifier keys that were noted outside; without them, those that the service publishes. */
  readonly keys?: readonly string[] | undefined;
  /** Called with the number of wallets before they are verified. */
  readonly onStart?: (wallets: number) => void;
  readonly onWallet?: () => void;
}

/**
 * Checks a checkpoint against the log: its signature, the root of the recorded leaves, and that each wallet still contains its head.
 * Raises Rejection `checkpoint_unknown` if there is no note and no checkpoint.
 */
export class VerifyCheckpoint extends Query<CheckpointVerification> {
  constructor(readonly options: VerifyCheckpointOptions = {}) {
    super();
  }
}

@QueryHandler(VerifyCheckpoint)
export class VerifyCheckpointHandler implements IQueryHandler<VerifyCheckpoint> {
  constructor(
    private readonly log: CheckpointLog,
    private readonly keys: CheckpointKeys,
    private readonly queries: QueryBus,
  ) {}

  async execute({ options }: VerifyCheckpoint): Promise<CheckpointVerification> {
    const note = options.note ?? (await this.log.last())?.note;
    if (note === undefined) throw new CheckpointRejection('checkpoint_unknown');
    const keys = (options.keys ?? (await this.keys.verifierKeys())).flatMap((text) => parseVerifierKey(text) ?? []);
    const text = openNote(note, keys);
    const head = text === undefined ? undefined : parseTreeHead(text);
    if (!head) return failed(null, null, 'None of the keys signed this text as a checkpoint.');
    const recorded = await this.recorded(head.number);
    if (!recorded) return failed(head.number, head.made_at, `The log holds no checkpoint ${head.number}.`);
    const differs =
      recorded.root !== head.root || recorded.tree_size !== head.tree_size || (await this.rootOfLeaves(recorded)) !== head.root;
    if (differs) return failed(head.number, head.made_at, `The log holds other heads for checkpoint ${head.number} than the note covers.`);
    options.onStart?.(head.tree_size);
    const faults = await this.walletFaults(recorded, options.onWallet);
    return { ok: faults.length === 0, number: head.number, made_at: head.made_at, wallets: head.tree_size, faults };
  }

  private async recorded(number: number): Promise<Checkpoint | undefined> {
    try {
      return await this.log.get(number);
    } catch (error) {
      if (error instanceof CheckpointRejection) return undefined;
      throw error;
    }
  }

  private async rootOfLeaves(checkpoint: Checkpoint): Promise<string> {
    const roots: Buffer[] = [];
    for await (const leaves of this.log.pages(checkpoint)) roots.push(rootOf(leaves.map(leafHash)));
    return rootOf(roots).toString('base64');
  }

  /** Verifies each wallet in the log from its first entry on. */
  private async walletFaults(checkpoint: Checkpoint, onWallet: () => void = () => undefined): Promise<CheckpointFault[]> {
    const faults: CheckpointFault[] = [];
    for await (const leaves of this.log.pages(checkpoint)) {
      for (const { partner_id, revision, hash } of leaves.map(headOf)) {
        const { fault } = await this.queries.execute(new VerifyWallet(partner_id, { since: { revision, hash } }));
        if (fault) faults.push({ partner_id, message: `At revision ${fault.revision} (${fault.rule}): ${fault.message}` });
        onWallet();
      }
    }
    return faults;
  }
}

function failed(number: number | null, made_at: string | null, message: string): CheckpointVerification {
  return { ok: false, number, made_at, wallets: 0, faults: [{ partner_id: null, message }] };
}
