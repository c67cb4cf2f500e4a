import {
  type LogEvents,
  type SetAsideEvents,
  type StreamEvents,
  type WitnessesView,
} from '../../../contexts/evidence/log-browser/log-events.dto.js';
import { type ProjectionList } from '../../../contexts/rebuilding/projections.dto.js';
import { type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { AdminApiError, pathOf, queryOf } from '../../admin-api.js';
import { type Routes, type Screen, type Visit } from '../../screen.js';
import { type ServiceState } from '../../service-state.js';
import { logScreen } from './log-screen.js';
import { partsScreen } from './parts-screen.js';
import { setAsideScreen } from './set-aside-screen.js';
import { STREAM_PATH } from './log-links.js';
import { findStreamScreen, missingHistoryScreen, streamScreen, unknownStreamScreen } from './stream-screen.js';

const EVENTS_PER_PAGE = 50;
const SET_ASIDE_PER_PAGE = 20;
/** Endpoints that are counted. */
const FAILING = 50;

/** The log as operators look into it: its newest events, any stream, events that cannot be used, and the state of the parts. */
export function addLogScreens(routes: Routes, state: ServiceState): void {
  routes.screen('/log', async (visit) => {
    const { category, cursor } = visit.query;
    return logScreen(visit, await visit.api.get<LogEvents>('/events', { category, limit: EVENTS_PER_PAGE, cursor }));
  });

  routes.screen('/log/stream', async (visit) => {
    const { name = '', from } = visit.query;
    return name === '' ? findStreamScreen('') : await shownStream(visit, name, from);
  });

  // The reason is in the body of the form, and so in no address, history or log of a proxy. Each view of the page reads the events again, and
  // so is in the audit trail; the events themselves are kept nowhere.
  const personalData = routes.shown<{ readonly from: string; readonly reason: string }>('/log/streams/:name/read/:shown', {
    kind: 'secret',
    show: (visit, { from, reason }) => shownStream(visit, visit.params.name ?? '', from, reason),
    gone: 'Type a reason on the stream’s page to see the personal data again.',
    back: ({ name = '' }) => `${STREAM_PATH}${queryOf({ name })}`,
  });
  routes.act('/log/stream', (_visit, form) =>
    Promise.resolve(personalData({ name: form.text('name') }, { from: form.optional('from') ?? '', reason: form.text('reason') })),
  );

  routes.screen('/log/set-aside', async (visit) => {
    const { cursor } = visit.query;
    return setAsideScreen(visit, await visit.api.get<SetAsideEvents>('/events/set-aside', { limit: SET_ASIDE_PER_PAGE, cursor }));
  });

  routes.screen('/log/parts', async ({ api }) => {
    const [{ faults, degradedBy }, { projections }, setAside, { witnesses }, failing] = await Promise.all([
      state.read(),
      api.get<ProjectionList>('/projections'),
      api.get<SetAsideEvents>('/events/set-aside', { limit: SET_ASIDE_PER_PAGE }),
      api.get<WitnessesView>('/witnesses'),
      api.get<WatchedEndpoints>('/webhooks', { failing: true, limit: FAILING }),
    ]);
    return partsScreen({ faults, degradedBy, projections, setAside, witnesses, failing });
  });
}

/** @param reason why an administrator reads the personal fields, too; undefined without them */
async function shownStream(visit: Visit, name: string, from: string | undefined, reason?: string): Promise<Screen> {
  const path = pathOf`/streams/${name}`;
  const query = { from: from === '' ? undefined : from };
  try {
    if (reason === undefined) return streamScreen(visit, { name, from, page: await visit.api.get<StreamEvents>(path, query) });
    const read = await visit.api.getFor<StreamEvents>(reason, `${path}${queryOf({ ...query, personal: true })}`).catch((error: unknown) => {
      if (error instanceof AdminApiError && error.status === 422) return undefined;
      throw error;
    });
    const page = read ?? (await visit.api.get<StreamEvents>(path, query));
    return streamScreen(visit, { name, from, page, reading: { reason, refused: read === undefined } });
  } catch (error) {
    if (!(error instanceof AdminApiError)) throw error;
    if (error.code === 'stream_not_found') return unknownStreamScreen(name);
    if (error.code === 'history_missing') return missingHistoryScreen(name);
    throw error;
  }
}
