import { type Pool } from 'pg';
import { openNote, parseVerifierKey } from '../domain/signed-note.js';
import { TILE_WIDTH } from '../domain/tiles.js';
import { rootsOf, tilesOf } from '../domain/tree-proofs.js';
import { readTiles } from '../tree/log-tile-table.js';
import { type Growth, LogTree } from '../tree/log-tree.js';
import { byAge, type KnownNote, knownNote } from './kept-note.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { SystemClock } from '../../../platform/system-clock.js';
import { type AdoptLog, LOG_ID, LOG_STREAMS, nextOrigin } from '../domain/log-adoption.js';
import { checkpointParts, type CheckpointStores } from './checkpoint-parts.js';

/** A checkpoint that the log does not extend. */
export interface Loss {
  readonly note: KnownNote;
  readonly verifier_key: string;
  /** Number of its events that the log lacks or has others in place of; null if that is not known. */
  readonly lost_events: number | null;
}

/**
 * Returns the newest known checkpoint that the log does not extend, after it has read the log; undefined if the log extends all.
 * @param given a note that was kept outside of the service
 * @throws Error if that note is no checkpoint of this service
 */
export async function lossIn(stores: CheckpointStores, given?: string): Promise<Loss | undefined> {
  // Nothing is signed here, so the origin of a first key does not matter.
  const parts = checkpointParts(stores, new SystemClock(), { origin: '', everySeconds: 0, witnesses: [] });
  const published = await parts.keys.verifierKeys();
  const known = await parts.kept.newest(parts.log);
  const kept = await parts.kept.get();
  const keys = [...published, ...(kept?.verifier_key === undefined ? [] : [kept.verifier_key])];
  const notes = [known, given === undefined ? undefined : noteFrom(given, keys)].flatMap((note) => note ?? []);
  for (const note of notes.sort(byAge).reverse()) {
    const lost_events = await lostEvents(stores, note);
    if (lost_events !== undefined) return { note, verifier_key: note.verifier_key ?? keyOf(note.note, keys) ?? '', lost_events };
  }
  return undefined;
}

function noteFrom(note: string, keys: readonly string[]): KnownNote {
  const verifier_key = keyOf(note, keys);
  const known = verifier_key === undefined ? undefined : knownNote({ number: 0, note, verifier_key });
  if (!known) throw new Error('None of the keys of this service signed this text as a checkpoint.');
  return known;
}

/** Returns the key that signed a note. */
function keyOf(note: string, keys: readonly string[]): string | undefined {
  return keys.find(
    (text) =>
      openNote(
        note,
        [parseVerifierKey(text)].flatMap((key) => key ?? []),
      ) !== undefined,
  );
}

/** Returns how many events of a checkpoint the log lacks or has others in place of; undefined if it has them all, null if that is not known. */
async function lostEvents({ pool, eventStore }: CheckpointStores, { tree_size, root }: KnownNote): Promise<number | null | undefined> {
  const tree = new LogTree(eventStore);
  const shared = new SharedEvents(pool);
  await tree.grow((await eventStore.headPosition()) ?? -1n, {
    signal: new AbortController().signal,
    maxSize: tree_size,
    onGrown: (growth) => shared.add(growth),
  });
  if (tree.size === tree_size && tree.root === root) return undefined;
  const range = [{ from: 0, to: tree_size }];
  const [inTiles] = rootsOf(range, await readTiles(pool, tilesOf(range))) ?? [];
  return inTiles?.toString('base64') === root ? tree_size - shared.count : null;
}

/** Counts the events at the beginning of the log whose leaves the tiles in the database have, too. */
class SharedEvents {
  count = 0;
  private hasEnded = false;

  constructor(private readonly pool: Pool) {}

  async add({ filled, open }: Growth): Promise<void> {
    const tiles = [...filled, ...open].filter(({ level }) => level === 0);
    const places = tiles.map(({ level, index }) => ({ level, index }));
    const stored = new Map((await readTiles(this.pool, places)).map(({ index, hashes }) => [index, hashes]));
    for (const { index, hashes } of tiles) {
      if (this.hasEnded) return;
      const differing = hashes.findIndex((hash, at) => !stored.get(index)?.[at]?.equals(hash));
      this.hasEnded = differing >= 0;
      this.count = index * TILE_WIDTH + (differing < 0 ? hashes.length : differing);
    }
  }
}

/** Begins a new log in place of the one that lost events. Its key is issued with its first checkpoint. Returns the new origin. */
export async function adoptAfter(
  { note, verifier_key, lost_events }: Loss,
  { eventStore, codec }: Pick<CheckpointStores, 'eventStore' | 'codec'>,
  by: Pick<AdoptLog, 'reason' | 'actor'>,
): Promise<string> {
  const origin = nextOrigin(note.origin);
  await new StreamWriter(eventStore, codec, LOG_STREAMS).execute(LOG_ID, {
    origin,
    former_note: note.note,
    former_key: verifier_key,
    lost_events,
    at: new Date().toISOString(),
    ...by,
  });
  return origin;
}
