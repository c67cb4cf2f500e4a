import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addVerifyScreens(routes: Routes): void {
  void routes;
}
