/** The actor that events record for a change made on the command line. The audit trail names the operator. */
export const ACTOR = 'cli';
