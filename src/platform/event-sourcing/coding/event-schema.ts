import { type Shape } from '../../../kernel/shape.js';
import { continuationOf } from '../stream-kind.js';

/** How the codec upcasts and encrypts an event type. */
export interface EventSchema {
  /** Current version of `data`: the number of upcasters plus 1. */
  readonly version?: number;
  /** The upcaster at index i converts `data` from version i + 1 to i + 2. No other code knows the old shapes. */
  readonly upcasters?: readonly ((data: Record<string, unknown>) => Record<string, unknown>)[];
  /** Fields of `data` that are encrypted under the data key of the farmer in `data.rupa_id`. */
  readonly personal?: readonly string[];
  /** Set for the first event of a farmer, the only one whose encoding creates a data key. */
  readonly createsDataKey?: boolean;
  /** Set for the event that erases a farmer: `decode` destroys the data key before it decrypts anything of that farmer. */
  readonly destroysDataKey?: boolean;
  /** Set if events are stored in a shorter form than the one that is hashed, exported and known to other code. */
  readonly storedForm?: StoredForm;
  /** The streams that hold the events; by default any stream does. */
  readonly streams?: EventStreams;
  /** The shape of the current version of the data, in full. Personal fields are checked as ciphertexts instead. */
  readonly shape?: Shape;
}

/** The streams of a category, which hold certain event types. */
export interface EventStreams {
  readonly category: string;
  /** Returns whether the stream with this id holds an event with this data. */
  readonly holds: (id: string, data: Readonly<Record<string, unknown>>) => boolean;
  /** Whether every event has a hash in its metadata. */
  readonly chained?: boolean;
  /** Whether an event may be recorded although its stream was ended for good, in the stream that continues it. */
  readonly continued?: boolean;
}

/** Returns the categories of the streams. */
export function categoriesOf({ category, continued }: EventStreams): string[] {
  return continued ? [category, continuationOf(category)] : [category];
}

/** A shorter form of an event's data. Its functions are pure, and `expand` returns exactly what `compact` was given. */
interface StoredForm {
  /** The version from which on events are stored in this form. Apart from that, its data is that of the version before. */
  readonly since: number;
  readonly compact: (data: Data, stream: string) => Data;
  /** Returns data that is not in this form, such as that of an event that was tampered with, as it is. */
  readonly expand: (stored: Data, stream: string) => Data;
}

type Data = Readonly<Record<string, unknown>>;

export type EventCatalogue = Readonly<Record<string, EventSchema>>;
