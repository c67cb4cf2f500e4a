import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addFarmerScreens(routes: Routes): void {
  void routes;
}
