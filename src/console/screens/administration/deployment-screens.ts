import { type AdminTokens } from '../../../http/authenticating/admin-tokens.js';
import { type MasterKeys } from '../../../platform/key-store/master-keys.js';
import { type Routes } from '../../screen.js';
import { type DoctorFinding, doctorScreen } from './doctor-screen.js';
import { tokensScreen } from './tokens-screen.js';

/** Examines the settings and the stores without changing anything. */
export type Doctor = () => Promise<readonly DoctorFinding[]>;

interface Deployment {
  readonly tokens: AdminTokens;
  readonly masterKeys: MasterKeys;
  readonly doctor: Doctor;
}

/** Adds the pages about this deployment, which show what the settings hold and the admin interface does not return. */
export function addDeploymentScreens(routes: Routes, { tokens, masterKeys, doctor }: Deployment): void {
  routes.screen('/administration/tokens', (visit) => tokensScreen(visit, tokens.holders(), masterKeys));
  routes.screen('/administration/doctor', async () => doctorScreen(await doctor()));
}
