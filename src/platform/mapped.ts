/** Yields the results of a function for items that are read one after another. */
export async function* mapped<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  of: (item: Item) => Result,
): AsyncGenerator<Result> {
  for await (const item of items) yield of(item);
}
