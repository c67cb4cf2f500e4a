import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { notErased } from '../../../../projections/erased-farmer/erased-farmer.reader.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { sequenceOffset } from '../../../platform/projecting/checkpoints.js';
import { ERASED_TYPE } from '../domain/notification-types.js';
import { notificationColumns, AFTER_CONSENT, LISTED, OF_ERASURE } from '../notifying/notification-columns.js';
import { WEBHOOK_SUBSCRIBER } from '../notifying/notification-writer.js';

// Statements of a partner's list of events. `$1` is the partner unless a comment says otherwise, `$2` and `$3` are the sequences after which
// and up to which they search, and `$4` is the type.

const c = columnsOf<ConsentRosterRow>('c');

/**
 * Whether the partner that a notification is for alone may read it. Those of its own reports about test farmers, which alone name a
 * contribution, need a consent like those about other farmers.
 */
export const PERMITTED_TO_OWNER = `(n.contribution_id is null or exists (
  select from read.consent_roster c where ${c.partner_id} = n.partner_id and ${c.rupa_id} = n.rupa_id and ${AFTER_CONSENT}))`;

const COLUMNS = `${notificationColumns('n')}, n.partner_id, n.mac, case when ${OF_ERASURE} then (
    select r.mac from ops.notification_recipient r where r.partner_id = $1 and r.sequence = n.sequence) end as recipient_mac`;
const OF_TYPE = '($4::text is null or n.type = $4)';

/** Looks through the notifications from $2 on up to $3, in their order, until it has found $5. */
const inOrder = (range: string, order: string): string => `select ${COLUMNS} from ops.notification n
  where ${range} and ${LISTED}
    and case when ${OF_ERASURE} then (select true from ops.notification_recipient r where r.partner_id = $1 and r.sequence = n.sequence)
      when n.partner_id is null then (select ${AFTER_CONSENT} from read.consent_roster c where ${c.partner_id} = $1 and ${c.rupa_id} = n.rupa_id limit 1)
      else n.partner_id = $1 and ${PERMITTED_TO_OWNER} end
  order by ${order} limit $5`;
const IN_ORDER = inOrder('n.sequence > $2 and n.sequence <= $3 and $4::text is null', 'n.sequence');
const IN_ORDER_OF_TYPE = inOrder(
  '(n.type, n.sequence) > ($4, $2::numeric) and (n.type, n.sequence) <= ($4, $3::numeric)',
  'n.type, n.sequence',
);

/**
 * The sequence after which a consent's notifications begin. It spares those from before the consent, of which a farmer may have any number.
 * Positions of an earlier log cannot be compared with the consent's; their notifications are the list's first ones.
 */
const AFTER = `case when (select position is null from ops.notification order by sequence limit 1) then $2::numeric
  else greatest($2::numeric, ${c.granted_position} - 1 + ${sequenceOffset(WEBHOOK_SUBSCRIBER)}) end`;

/**
 * Selects the sequences of the first `most` notifications of the farmer `c`. Only one index returns them in this order. With `n.type = $4`, two
 * would, and PostgreSQL might look for a rare type among all notifications of the farmer.
 */
const ofFarmer = (ofType: boolean, most: string): string => {
  const [columns, after, to] = ofType
    ? ['n.rupa_id, n.type, n.sequence', `${c.rupa_id}, $4, ${AFTER}`, `${c.rupa_id}, $4, $3::numeric`]
    : ['n.rupa_id, n.sequence', `${c.rupa_id}, ${AFTER}`, `${c.rupa_id}, $3::numeric`];
  return `select n.sequence from ops.notification n
    where n.partner_id is null and not ${OF_ERASURE} and (${columns}) > (${after}) and (${columns}) <= (${to}) and ${AFTER_CONSENT}
    order by ${columns} limit ${most}`;
};

/** The first notifications of erasures that the partner is a recipient of. */
const erasures = (most: string, condition = 'true'): string => `(select r.sequence from ops.notification_recipient r
  where r.partner_id = $1 and r.sequence > $2 and r.sequence <= $3 and ($4::text is null or $4 = '${ERASED_TYPE}') and ${condition}
    and (select true from ops.notification n where n.sequence = r.sequence)
  order by r.sequence limit ${most})`;

/** The same of the farmer $6, who has one. A partner may be the recipient of many others. */
const ERASURES_OF_FARMER = `(select n.sequence from ops.notification n
  where n.rupa_id = $6 and n.type = '${ERASED_TYPE}' and n.partner_id is null and n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE}
    and (select true from ops.notification_recipient r where r.partner_id = $1 and r.sequence = n.sequence)
  order by n.rupa_id, n.type, n.sequence limit $5)`;

/**
 * Takes the first $7 notifications of each farmer on the roster, and the first $5 of the partner itself, from the indexes, and the first $5 of
 * those. A farmer with $7 notifications may have more, which come after these, so the list ends there. With `n.rupa_id = c.rupa_id … order by
 * n.sequence`, PostgreSQL would look through the notifications of all farmers for each one if most of them are about few farmers.
 */
const byFarmer = (ofType: boolean): string => `with found as materialized (
    select n.sequence, row_number() over (partition by ${c.rupa_id} order by n.sequence) as place from (
      select c.* from read.consent_roster c where ${c.partner_id} = $1 and ($6::text is null or ${c.rupa_id} = $6) and ${notErased('c')}) c
      cross join lateral (${ofFarmer(ofType, '$7')}) n),
  complete as materialized (select case when $7 < $5 then (select min(sequence) from found where place = $7) end as last),
  listed as materialized (
    select sequence from (
      (select n.sequence from ops.notification n
        where n.partner_id = $1 and n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE} and ($6::text is null or n.rupa_id = $6) and ${notErased('n')}
          and ${PERMITTED_TO_OWNER}
        order by n.sequence limit $5)
      union all ${erasures('$5', '$6::text is null')} union all ${ERASURES_OF_FARMER}
      union all select sequence from found) n
    where sequence <= coalesce((select last from complete), sequence)
    order by sequence limit $5)
  select ${COLUMNS} from listed l cross join lateral (select * from ops.notification n where n.sequence = l.sequence limit 1) n
  order by n.sequence`;

/** The farmers with notifications, at most $1: one read of the index for each of them. */
export const FARMERS = `with recursive farmer(rupa_id, place) as (
    (select n.rupa_id, 1 from ops.notification n where n.partner_id is null order by n.rupa_id limit 1)
    union all
    select (select n.rupa_id from ops.notification n where n.partner_id is null and n.rupa_id > f.rupa_id order by n.rupa_id limit 1), f.place + 1
    from farmer f where f.rupa_id is not null and f.place < $1)
  select coalesce(array_agg(rupa_id) filter (where rupa_id is not null), '{}') as farmers from farmer`;

/** The first notification of the partner itself. */
const OWN = `(select n.sequence from ops.notification n
  where n.partner_id = $1 and n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE} and ${notErased('n')} and ${PERMITTED_TO_OWNER}
  order by n.sequence limit 1)`;

/** The first notification of the partner itself or of the next $6 farmers on its roster after $5; and the last of these, and their number. */
const nextOfConsents = (ofType: boolean): string => `with chunk as materialized (
    select c.* from read.consent_roster c where (${c.partner_id}, ${c.rupa_id}) > ($1, $5) and ${c.partner_id} <= $1
    order by ${c.partner_id}, ${c.rupa_id} limit $6)
  select (select max(${c.rupa_id}) from chunk c) as last, (select count(*) from chunk) as size, (select min(sequence) from (
    ${OWN} union all ${erasures('1')} union all
    select n.sequence from (select c.* from chunk c where ${notErased('c')}) c cross join lateral (${ofFarmer(ofType, '1')}) n) n) as sequence`;

/** The first notification of the partner itself or of those farmers in $5 who are on its roster. */
const next = (ofType: boolean): string => `select min(sequence) as sequence from (
    ${OWN} union all ${erasures('1')} union all
    select n.sequence from unnest($5::text[]) f(rupa_id)
      cross join lateral (
        select * from read.consent_roster c where ${c.partner_id} = $1 and ${c.rupa_id} = f.rupa_id and ${notErased('c')} limit 1) c
      cross join lateral (${ofFarmer(ofType, '1')}) n) n`;

const after = 'n.sequence > $1 and $3::text is null order by n.sequence';
const afterOfType = '(n.type, n.sequence) > ($3, $1::numeric) and n.type <= $3 order by n.type, n.sequence';
const window = (rows: string): string =>
  `select max(sequence) as last, count(*) as size from (select n.sequence from ops.notification n where ${rows} limit $2) n`;
const nth = (rows: string): string => `select n.sequence from ops.notification n where ${rows} offset $2 - 1 limit 1`;

/** The statements of a list of all types, and of one type. */
export const STATEMENTS = {
  /** The next $2 notifications after $1. */
  window: [window(after), window(afterOfType)],
  /** The notification that is the $2nd after $1. */
  nth: [nth(after), nth(afterOfType)],
  inOrder: [IN_ORDER, IN_ORDER_OF_TYPE],
  byFarmer: [byFarmer(false), byFarmer(true)],
  nextOfConsents: [nextOfConsents(false), nextOfConsents(true)],
  next: [next(false), next(true)],
} as const;
