/** The event of `approvallimit-main`: the amount above which a second person is needed, as the API that started last has it. */
export type ApprovalLimitSet = {
  readonly type: 'ApprovalLimitSet';
  readonly data: {
    /** Integer kobo; null if nothing needs a second person. */
    readonly limit_kobo: number | null;
    readonly recorded_at: string;
    readonly actor: string;
  };
};
