import { partnersNamed } from '../../components/partner-field.js';
import { type Routes } from '../../screen.js';
import { evidenceScreen } from './evidence-screen.js';
import { verifyScreen } from './verify-screen.js';

/** The verification of a wallet and of the whole log, in the browser of the person who looks. */
export function addVerifyScreens(routes: Routes): void {
  routes.screen('/verify', async (visit) => verifyScreen(visit.query.partner ?? '', await partnersNamed(visit, '')));
  routes.screen('/verify/evidence', () => evidenceScreen);
}
