/**
 * Returns the SQL that selects columns of a wallet's last entry up to a time. `$1` is the partner's id and `$2` the time. The times of a
 * wallet's entries never decrease, so the statement halves the range of revisions until one is left: 20 reads of the primary key for a
 * wallet with a million entries. An index on the time would do the same, and every lookup would have to write it.
 * @param comparison whether an entry at the time itself counts
 */
export function lastEntryUpTo(columns: string, comparison: '<' | '<='): string {
  const isUpTo = `e.recorded_at ${comparison} $2::timestamptz`;
  return `with recursive search(low, high) as (
      select -1::bigint, coalesce(
        (select e.revision + 1 from read.wallet_entry e where e.partner_id = $1 order by e.revision desc limit 1), 0)::bigint
      union all
      select case when ${isUpTo} then e.revision else s.low end, case when ${isUpTo} then s.high else e.revision end
      from search s join read.wallet_entry e on e.partner_id = $1 and e.revision = (s.low + s.high) / 2 where s.high - s.low > 1
    )
    select ${columns} from read.wallet_entry where partner_id = $1 and revision = (select max(low) from search)`;
}
