/** Defaults of a user under which texts of times, numbers, bytes and names have another meaning. */
export const HOSTILE_DEFAULTS: Readonly<Record<string, string>> = {
  array_nulls: 'off',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  datestyle: 'SQL, DMY',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-10',
  intervalstyle: 'sql_standard',
  lock_timeout: '1',
  plan_cache_mode: 'force_generic_plan',
  row_security: 'off',
  search_path: '"$user", public',
  standard_conforming_strings: 'off',
  statement_timeout: '19s',
  synchronous_commit: 'off',
  timezone: 'Pacific/Apia',
  transform_null_equals: 'on',
  xmlbinary: 'hex',
};

/** Returns the statements that give these defaults to the role. */
export function hostileDefaultsOf(role: string): string[] {
  return Object.entries(HOSTILE_DEFAULTS).map(
    ([name, value]) => `alter role ${role} set ${name} = ${name === 'search_path' ? value : `'${value}'`}`,
  );
}
