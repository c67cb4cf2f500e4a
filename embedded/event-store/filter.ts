import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { type StoredRecord } from './log.js';

export type Filter = (record: StoredRecord) => boolean;

/** Which events a read of $all lets through. @throws SyntaxError for a regular expression that is none. */
export function filterOf(options: streams.ReadReq.Options.FilterOptions | undefined): Filter | undefined {
  const byStream = options?.getStreamIdentifier();
  const expression = byStream ?? options?.getEventType();
  if (!expression) return undefined;
  const text = byStream ? ({ stream }: StoredRecord) => stream : ({ type }: StoredRecord) => type;
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) return (record) => prefixes.some((prefix) => text(record).startsWith(prefix));
  const regex = new RegExp(expression.getRegex(), 'u');
  return (record) => regex.test(text(record));
}
