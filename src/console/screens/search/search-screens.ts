import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addSearchScreens(routes: Routes): void {
  void routes;
}
