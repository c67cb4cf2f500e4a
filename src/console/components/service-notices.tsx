import { type VNode } from 'preact';
import { type AnnouncedMaintenance } from '../../http/limiting/maintenance-mode.js';
import { type Trouble, type TroubleKind } from '../../kernel/trouble.js';
import { type StateOfService } from '../service-state.js';
import { Notice, Time } from './text.js';

/** What every page says about the service. */
export interface ServiceNotices extends StateOfService {
  readonly maintenance: AnnouncedMaintenance | null;
}

interface Advice {
  readonly means: string;
  readonly advice: string;
  readonly page?: readonly [href: string, name: string];
}

const READ_MODELS = ['/console/read-models', 'Read models'] as const;
const FINDINGS = ['/console/administration/doctor', 'Findings of rupa doctor'] as const;

const ADVICE: Readonly<Record<TroubleKind, Advice>> = {
  read_model_faulted: {
    means:
      'A faulted read model stopped at an event that it could not apply: calls that need it are refused, and what it shows is from before.',
    advice: 'Read its error, then retry or rebuild it.',
    page: READ_MODELS,
  },
  read_models_not_kept: {
    means: 'What the read models show gets older until a newer version of the service runs.',
    advice: 'Start processes of the newer version with the role projector.',
    page: READ_MODELS,
  },
  behind: {
    means: 'Lists lack the newest entries; lookups are served from what is there until it is too old (MAX_STALENESS_SECONDS).',
    advice: 'Look at the lags, and whether a process with the role projector is alive (Overview) and its database busy.',
    page: READ_MODELS,
  },
  caches_deaf: {
    means: 'Every call is slower, and none is wrong.',
    advice: 'Check the connection of this process to PostgreSQL: it needs one that a pooler does not share among statements.',
  },
  history_missing: {
    means: 'Events are hidden or gone, so calls that need such a stream get a 503.',
    advice: 'Find the stream under the findings, and make its events readable again.',
    page: FINDINGS,
  },
  event_ahead: {
    means: 'Somebody recorded such an event with a clock that was wrong. Nothing stops because of it.',
    advice: 'Check the clocks of the hosts. It ends by itself once that time has come.',
  },
  event_set_aside: {
    means: 'The service did not write such an event. Calls that need its stream get a 503 until somebody decides.',
    advice: 'See what it holds up; skip it with rupa events skip, or restore the log.',
    page: ['/console/log/set-aside', 'Set-aside events'],
  },
  rows_forged: {
    means: 'Somebody changed the database by hand. Calls that such a row decides are refused.',
    advice: 'Verify the read model to see the rows, find out who changed them, and rebuild it.',
    page: READ_MODELS,
  },
  events_lost: {
    means: 'The log is not the one that was signed. Calls go on, without further checkpoints.',
    advice: 'Restore the missing events before anything else.',
    page: FINDINGS,
  },
};

/** Says what is wrong with the service, and nothing about one that is ready. The module `every-page` reads it again while a page is open. */
export function ServiceNoticesPart({ faults, degradedBy, maintenance }: ServiceNotices): VNode {
  return (
    <>
      {maintenance === null ? null : <MaintenanceNotice maintenance={maintenance} />}
      {faults.length === 0 ? null : (
        <Notice tone="bad">{`The service is not ready: it refuses calls until this is mended. ${faults.join(' ')}`}</Notice>
      )}
      {degradedBy.length === 0 ? null : <Degraded troubles={degradedBy} />}
    </>
  );
}

/** Says each reason, and what to do about those of a kind once. */
function Degraded({ troubles }: { readonly troubles: readonly Trouble[] }): VNode {
  return (
    <Notice tone="warn">
      <strong>The service is degraded: it serves, but some calls are refused or late.</strong>
      <ul>
        {[...Map.groupBy(troubles, ({ kind }) => kind)].map(([kind, ofKind]) => {
          const { means, advice, page } = ADVICE[kind];
          return (
            <li>
              {ofKind.map(({ reason }) => reason).join(' ')} {means} {advice} {page === undefined ? null : <a href={page[0]}>{page[1]}</a>}
            </li>
          );
        })}
      </ul>
    </Notice>
  );
}

/** Says that calls that change something are refused. */
function MaintenanceNotice({ maintenance: { reason, until } }: { readonly maintenance: AnnouncedMaintenance }): VNode {
  return (
    <Notice tone="warn">
      Maintenance: lookups, reports and administrators’ changes are refused{' '}
      {until === null ? null : (
        <>
          until <Time at={until} /> UTC{' '}
        </>
      )}
      on every instance. Reason: {reason} <a href="/console#maintenance">Change or end it</a>
    </Notice>
  );
}
