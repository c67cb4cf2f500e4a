/** A value with the JSON of `T`, whose lists may be read one item after another. */
export type Unread<T> = T extends readonly (infer Item)[]
  ? readonly Item[] | AsyncIterable<Item>
  : T extends object
    ? { readonly [Key in keyof T]: Unread<T[Key]> }
    : T;

/** Yields what `JSON.stringify` returns. Async iterables become lists, which are not held in memory. */
export async function* jsonText(value: unknown): AsyncGenerator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) yield JSON.stringify(value);
  else if (Symbol.asyncIterator in value) yield* listText(value as AsyncIterable<unknown>);
  else yield* objectText(value);
}

async function* objectText(value: object): AsyncGenerator<string> {
  let before = '{';
  for (const [key, field] of Object.entries(value) as [string, unknown][]) {
    if (field === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* jsonText(field);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

async function* listText(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const item of items) {
    yield `${before}${JSON.stringify(item)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
