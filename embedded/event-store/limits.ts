/**
 * What the server lets anybody have of it. It has no users, so that nobody is trusted; each limit is far above what a service with
 * its command line needs, and far below what a machine has.
 */

/** The client sends batches in chunks of 3 MiB and one event more; what is larger than EventStoreDB's own 16 MiB ends the call. */
export const MESSAGE_BYTES_MAX = 17 * 1024 * 1024;
/** A read is a stream's name and a filter. */
export const READ_MESSAGE_BYTES_MAX = 64 * 1024;
/** Events of no size at all cost time and memory, too. */
export const APPEND_EVENTS_MAX = 10_000;
/** The client's chunks of 3 MiB hold fewer; merely to look at millions of them takes a second. */
export const MESSAGE_EVENTS_MAX = 100_000;
export const STREAM_NAME_BYTES_MAX = 1_024;
export const TEXT_BYTES_MAX = 1_024;
/** A UUID as text, and a little more. */
export const CORRELATION_ID_BYTES_MAX = 64;

/** A service holds one connection a thread, a command one. */
export const CONNECTIONS_MAX = 256;
/** A call beyond these waits at the client, and so is never lost. */
export const CALLS_A_CONNECTION_MAX = 1_000;
/** A call beyond these is refused before anything was done for it, which HTTP/2 lets a client know. */
export const CALLS_MAX = 4_096;
/** Messages that are coming in, appends that are not finished and answers that nobody takes, of all calls together. */
export const HELD_BYTES_MAX = 128 * 1024 * 1024;

/** A connection that does not answer a ping is gone, or takes nothing, or never spoke HTTP/2. */
export const PING_AFTER_MS = 30_000;
export const PING_ANSWER_MS = 30_000;
/** A connection without a call; clients open another when they need it. */
export const IDLE_CONNECTION_MS = 5 * 60_000;

/** A filter is asked for each event, and its cost is its size times the text's. */
export const EXPRESSION_CHARACTERS_MAX = 1_024;
export const EXPRESSION_UNROLLED_MAX = 20_000;
export const EXPRESSION_INSTRUCTIONS_MAX = 1_000;
export const PREFIXES_MAX = 256;
/** A loop over events lets others have their turn after so long. */
export const SLICE_MS = 10;
/** A reader that takes nothing for so long gets what it was to be sent from disk again; memory does not wait for it. */
export const STALLED_READER_MS = 1_000;
