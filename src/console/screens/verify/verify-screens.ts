import { Readable } from 'node:stream';
import { type AdminApi, AdminApiError, pathOf, type StreamedResponse } from '../../admin-api.js';
import { type Routes } from '../../screen.js';
import { verifyScreen } from './verify-screen.js';

/** The verification of a wallet in the browser of the person who looks. */
export function addVerifyScreens(routes: Routes): void {
  routes.screen('/verify', ({ query: { partner = '' } }) => verifyScreen(partner));

  routes.download('/verify/:id/checkpoints/:number', async ({ api, params: { id = '', number = '' } }) => {
    try {
      return await api.stream(pathOf`/partners/${id}/wallet/checkpoints/${number}`);
    } catch (error) {
      if (!(error instanceof AdminApiError) || error.status !== 404) throw error;
      return notFound((await lacksOnlyTheWallet(api, error, number)) ? 'wallet_not_covered' : error.code);
    }
  });
}

/** The admin interface responds alike to a checkpoint that does not exist and to one without the wallet. The auditor needs to know which. */
async function lacksOnlyTheWallet(api: AdminApi, { code }: AdminApiError, number: string): Promise<boolean> {
  if (code !== 'checkpoint_not_found') return false;
  try {
    await api.get(pathOf`/checkpoints/${number}`);
    return true;
  } catch (error) {
    if (error instanceof AdminApiError && error.status === 404) return false;
    throw error;
  }
}

/** The script of the page reads the code. */
function notFound(code: string): StreamedResponse {
  return { status: 404, headers: { 'content-type': 'application/json' }, body: Readable.from([JSON.stringify({ code })]) };
}
