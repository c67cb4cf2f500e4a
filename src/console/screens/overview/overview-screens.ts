import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addOverviewScreens(routes: Routes): void {
  void routes;
}
