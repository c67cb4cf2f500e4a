/** The actor that events name for a change made on the command line; the audit trail names the operator. */
export const ACTOR = 'cli';
