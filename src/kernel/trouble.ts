/** Kinds of trouble that concern only some calls, so that a process which is ready is degraded (admin, "Ready means"). */
export type TroubleKind =
  | 'read_model_faulted'
  | 'read_models_not_kept'
  | 'behind'
  | 'caches_deaf'
  | 'history_missing'
  | 'event_ahead'
  | 'event_set_aside'
  | 'rows_forged'
  | 'events_lost';

export interface Trouble {
  readonly kind: TroubleKind;
  /** A sentence with the names and numbers of this case. */
  readonly reason: string;
}

/** Returns a trouble of one kind for each sentence. */
export function troublesOf(kind: TroubleKind, reasons: readonly string[]): Trouble[] {
  return reasons.map((reason) => ({ kind, reason }));
}
