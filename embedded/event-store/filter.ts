import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { recordTexts } from './wire.js';

export type Filter = (record: Buffer) => boolean;

/** Which records a read of $all lets through; undefined for all. @throws SyntaxError for a regular expression that is none. */
export function filterOf(options: streams.ReadReq.Options.FilterOptions | undefined): Filter | undefined {
  const byStream = options?.getStreamIdentifier();
  const expression = byStream ?? options?.getEventType();
  if (!expression) return undefined;
  const text = byStream ? (record: Buffer) => recordTexts(record).stream : (record: Buffer) => recordTexts(record).type;
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) {
    return (record) => {
      const value = text(record);
      return prefixes.some((prefix) => value.startsWith(prefix));
    };
  }
  // Like .NET's, whose syntax EventStoreDB takes, an expression without the u flag matches UTF-16 units and forgives needless escapes.
  const regex = new RegExp(expression.getRegex());
  return (record) => regex.test(text(record));
}
