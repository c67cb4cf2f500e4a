import { type Routes } from '../../screen.js';
import { verifyScreen } from './verify-screen.js';

/** The verification of a wallet in the browser of the person who looks. */
export function addVerifyScreens(routes: Routes): void {
  routes.screen('/verify', ({ query: { partner = '' } }) => verifyScreen(partner));
}
