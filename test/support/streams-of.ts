import { type Streams } from '../../src/platform/event-sourcing/writing/stream-writer.js';

/** Returns streams that have this writer for every kind. */
export const streamsOf = (writer: object): Streams => ({ of: () => writer }) as unknown as Streams;
