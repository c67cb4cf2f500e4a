/**
 * Limits of the server. It has no users and therefore trusts no client. Each limit is far above the needs of one service with its
 * command line, and far below the capacity of a machine.
 */

/** The client sends batches in chunks of 3 MiB plus one event. EventStoreDB accepts up to 16 MiB per message; a larger one ends the call. */
export const MESSAGE_BYTES_MAX = 17 * 1024 * 1024;
/** A read request holds only a stream name and a filter. */
export const READ_MESSAGE_BYTES_MAX = 64 * 1024;
/** EventStoreDB bounds only the data of an append. An append blocks all others while it is written, even if its events have no data. */
export const APPEND_EVENTS_MAX = 25_000;
/** The log repeats the stream's name in each event, so a few megabytes of events with a long name could fill the disk. */
export const APPEND_STORED_BYTES_MAX = 64 * 1024 * 1024;
/** EventStoreDB's limit for a record. A larger one would not fit into a message that a reader receives. */
export const RECORD_BYTES_MAX = 16 * 1024 * 1024;
/** Room for a UUID message in text form. */
export const CORRELATION_ID_BYTES_MAX = 64;

/** A service opens one connection per thread, a command of the command line opens one. */
export const CONNECTIONS_MAX = 256;
/** Concurrent calls of a connection, as EventStoreDB announces them. The client queues further calls, so none is lost. */
export const CALLS_PER_CONNECTION_MAX = 100;
/** Milliseconds until an append in parts is answered with Timeout, if its deadline is not earlier. EventStoreDB's commit timeout. */
export const UNFINISHED_APPEND_MS = 2_000;
/** Concurrent calls of all connections. A further call gets HTTP/2's REFUSED_STREAM, which tells the client that it was not processed. */
export const CALLS_MAX = 4_096;
/** Memory for partly received messages, unfinished appends and unsent responses, of all calls together. */
export const HELD_BYTES_MAX = 128 * 1024 * 1024;

/** Idle milliseconds until a connection is pinged. One that does not respond is dead, does not read, or never spoke HTTP/2. */
export const PING_AFTER_MS = 30_000;
export const PING_RESPONSE_MS = 30_000;
/** Milliseconds after which a connection without a call is closed. A client reconnects when it needs one. */
export const IDLE_CONNECTION_MS = 5 * 60_000;

/** A filter runs for each event, and its cost is the size of its expression times the size of the text. */
export const EXPRESSION_CHARACTERS_MAX = 1_024;
export const EXPRESSION_UNROLLED_MAX = 20_000;
export const EXPRESSION_INSTRUCTIONS_MAX = 1_000;
export const PREFIXES_MAX = 256;
/** Milliseconds after which a loop over events yields to the event loop. */
export const SLICE_MS = 10;
/** Milliseconds after which the buffered events of a reader that does not read are dropped. They are read from disk again later. */
export const STALLED_READER_MS = 1_000;
