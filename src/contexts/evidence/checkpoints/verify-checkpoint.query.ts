import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { categoryOf } from '../../../platform/event-sourcing/stream-kind.js';
import { VerifyWallet } from '../../wallet/public.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';
import { openNote, parseVerifierKey } from '../domain/signed-note.js';
import { parseTreeHead, type TreeHead } from '../domain/tree-head.js';
import { LogTree } from '../tree/log-tree.js';
import { CheckpointKeys } from './checkpoint-keys.js';
import { CheckpointLog } from './checkpoint-log.js';

export interface CheckpointFault {
  /** The wallet that does not hold; null if the checkpoint itself is at fault. */
  readonly partner_id: string | null;
  /** Says what is wrong, as a sentence for the auditor. */
  readonly message: string;
}

export interface CheckpointVerification {
  readonly ok: boolean;
  /** Null if the note is malformed, or none of the keys signed it. */
  readonly origin: string | null;
  /** Number of events that the note covers. */
  readonly tree_size: number | null;
  /** Wallets that were verified. */
  readonly wallets: number;
  readonly faults: readonly CheckpointFault[];
}

export interface VerifyCheckpointOptions {
  /** A note that was kept outside; without it, the latest checkpoint of the log is verified. */
  readonly note?: string | undefined;
  /** Verifier keys that were noted outside; without them, those that the service publishes. */
  readonly keys?: readonly string[] | undefined;
  /** Called with what is read, `Events` or `Wallets`, and its number, before it is read. */
  readonly onStart?: (what: string, total: number) => void;
  /** Called with the number of events or wallets that were read in addition. */
  readonly onRead?: (count: number) => void;
}

/**
 * Checks a checkpoint against the log: its signature, that the events that it covers lead to its root, and every wallet from its first entry
 * on. Reads events alone, and no table. Raises Rejection `checkpoint_unknown` if there is no note and no checkpoint.
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
    private readonly eventStore: EventStore,
    private readonly queries: QueryBus,
  ) {}

  async execute({ options }: VerifyCheckpoint): Promise<CheckpointVerification> {
    const note = options.note ?? (await this.log.last())?.note;
    if (note === undefined) throw new CheckpointRejection('checkpoint_unknown');
    const keys = (options.keys ?? (await this.keys.verifierKeys())).flatMap((text) => parseVerifierKey(text) ?? []);
    const text = openNote(note, keys);
    const head = text === undefined ? undefined : parseTreeHead(text);
    if (!head) return failed('None of the keys signed this text as a checkpoint.');
    const { tree, partners } = await this.readLog(head, options);
    if (tree.size < head.tree_size) return failed(`The log has ${tree.size} events, and the note covers ${head.tree_size}.`, head);
    if (tree.root !== head.root) return failed(`The first ${head.tree_size} events of the log are not those that the note covers.`, head);
    const faults = await this.walletFaults(partners, options);
    return { ok: faults.length === 0, origin: head.origin, tree_size: head.tree_size, wallets: partners.size, faults };
  }

  /** Computes the tree of the events that the note covers, and lists the wallets among them. */
  private async readLog(
    { tree_size: maxSize }: TreeHead,
    { onStart, onRead }: VerifyCheckpointOptions,
  ): Promise<{ readonly tree: LogTree; readonly partners: ReadonlySet<string> }> {
    const tree = new LogTree(this.eventStore);
    const partners = new Set<string>();
    onStart?.('Events', maxSize);
    await tree.grow((await this.eventStore.headPosition()) ?? -1n, {
      signal: new AbortController().signal,
      maxSize,
      onEvents: (events) => {
        for (const { stream } of events) if (categoryOf(stream) === 'wallet') partners.add(stream.slice('wallet-'.length));
        onRead?.(events.length);
      },
    });
    return { tree, partners };
  }

  private async walletFaults(
    partners: ReadonlySet<string>,
    { onStart, onRead }: VerifyCheckpointOptions,
  ): Promise<readonly CheckpointFault[]> {
    const faults: CheckpointFault[] = [];
    onStart?.('Wallets', partners.size);
    for (const partner_id of partners) {
      const { fault } = await this.queries.execute(new VerifyWallet(partner_id));
      if (fault) faults.push({ partner_id, message: `At revision ${fault.revision} (${fault.rule}): ${fault.message}` });
      onRead?.(1);
    }
    return faults;
  }
}

function failed(message: string, head?: TreeHead): CheckpointVerification {
  const { origin = null, tree_size = null } = head ?? {};
  return { ok: false, origin, tree_size, wallets: 0, faults: [{ partner_id: null, message }] };
}
