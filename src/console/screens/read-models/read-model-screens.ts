import { GetProjectionJob } from '../../../contexts/rebuilding/get-projection-job.query.js';
import { type ProjectionJob, type ProjectionList } from '../../../contexts/rebuilding/projections.dto.js';
import { idNumberIn } from '../../../http/validating/validation.js';
import { pathOf } from '../../admin-api.js';
import { type Routes } from '../../screen.js';
import { hasEnded, JobPart, jobScreen } from './projection-job-screen.js';
import { readModelsScreen } from './read-models-screen.js';

const EVERY_MS = 1_000;

/** The read models, and the jobs that verify, rebuild and resume them. */
export function addReadModelScreens(routes: Routes): void {
  routes.screen('/read-models', async (visit) => readModelsScreen(visit, await visit.api.get<ProjectionList>('/projections')));

  for (const action of ['verify', 'rebuild', 'retry'] as const) {
    routes.act(`/read-models/:name/${action}`, async ({ api, params: { name = '' } }) => {
      const { job_id } = await api.post<ProjectionJob>(`${pathOf`/projections/${name}`}/${action}`);
      return { goTo: `/console${pathOf`/read-models/jobs/${job_id}`}`, notice: `Job ${job_id} is queued.` };
    });
  }

  routes.screen('/read-models/jobs/:jobId', async ({ api, params: { jobId = '' } }) =>
    jobScreen(await api.get<ProjectionJob>(pathOf`/projections/jobs/${jobId}`)),
  );

  routes.live('/live/read-models/jobs/:jobId', EVERY_MS, async ({ queries, params: { jobId = '' } }) => {
    const job = await queries.execute(new GetProjectionJob(idNumberIn(jobId) ?? 0));
    return { html: JobPart({ job }), last: hasEnded(job) };
  });
}
