/** Characters of an ISO 8601 time that name its day or its month. */
const LENGTHS = { day: 'yyyy-mm-dd'.length, month: 'yyyy-mm'.length } as const;

/**
 * Runs a part of a test within one day or month (UTC), and returns its result. If the period ends meanwhile, what the part has made is of two
 * periods, so that it may rightly fail: it is run again in the next one. It makes all that it depends on itself, such as a partner.
 * @param part gets the period, such as `2026-11-30` or `2026-11`
 */
export async function withinOne<Result>(period: keyof typeof LENGTHS, part: (period: string) => Promise<Result>): Promise<Result> {
  const current = (): string => new Date().toISOString().slice(0, LENGTHS[period]);
  for (;;) {
    const begun = current();
    try {
      return await part(begun);
    } catch (error) {
      if (current() === begun) throw error;
    }
  }
}
