import { tools } from './projects.js';

/** Configures `npm run test:tools`: tests with HAProxy, Prometheus and PgBouncer, which npm does not have. They must be installed. */
export default tools;
