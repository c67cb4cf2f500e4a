import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addAdministrationScreens(routes: Routes): void {
  void routes;
}
