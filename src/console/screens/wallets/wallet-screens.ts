import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addWalletScreens(routes: Routes): void {
  void routes;
}
