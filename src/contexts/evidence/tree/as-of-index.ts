/** Describes `as_of_index` of a response that was computed from the log. */
export const AS_OF_INDEX = {
  description:
    'Index of the last event of the log that this is computed from, as in the evidence file and in proofs. Null while it is not known, for example shortly after the log was moved to another event store.',
  minimum: 0,
  nullable: true,
} as const;
