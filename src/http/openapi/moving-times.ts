const DAY_MS = 24 * 60 * 60 * 1_000;

/** Stand in examples for times that must be near the moment of a call. The document has times of the day on which it is generated. */
export const YESTERDAY = '{yesterday}';
export const TOMORROW = '{tomorrow}';
export const THIS_MONTH = '{this month}';

/** Returns a value with a time in place of each text that stands for one. */
export function withTimes<T>(value: T, now: Date): T {
  const day = (offset: number): string =>
    `${new Date(now.getTime() + offset * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length)}T09:00:00Z`;
  const times = { [YESTERDAY]: day(-1), [TOMORROW]: day(1), [THIS_MONTH]: now.toISOString().slice(0, 'yyyy-mm'.length) };
  const text = Object.entries(times).reduce(
    (json, [name, time]) => json.replaceAll(JSON.stringify(name), JSON.stringify(time)),
    JSON.stringify(value),
  );
  return JSON.parse(text) as T;
}
