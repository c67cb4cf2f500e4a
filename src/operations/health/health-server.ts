import { once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { ENVELOPE_TYPE, type Failures, success } from '../../http/envelope.js';
import { REQUEST_ID, requestIdOf } from '../../http/observe-requests.js';
import { boundedServer } from '../../platform/http-server/bounded-server.js';
import { type MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { inTime } from '../metrics/in-time.js';
import { readyView } from './health.dto.js';
import { type Readiness } from './readiness.js';

const REQUEST_TIMEOUT_MS = 5_000;
/** More than the probes of an orchestrator open. */
const CONNECTIONS_PER_ADDRESS = 64;

export interface HealthServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the health endpoints, and nothing else, in a process without the role `api`. They respond like those of the API. */
export async function startHealthServer(parts: HealthParts, host: string, port: number): Promise<HealthServer> {
  const timeouts = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS };
  const server = boundedServer(timeouts, { perAddress: CONNECTIONS_PER_ADDRESS }, (request, response) => {
    response.setHeader(REQUEST_ID, requestIdOf(request));
    void respond(parts, `${request.method ?? ''} ${request.url ?? ''}`, response);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}

export interface HealthParts {
  readonly readiness: Readiness;
  readonly maintenance: Pick<MaintenanceMode, 'inForce'>;
  readonly failures: Failures;
}

async function respond({ readiness, maintenance, failures }: HealthParts, call: string, response: ServerResponse): Promise<void> {
  switch (call) {
    case 'GET /health/live':
      send(response, 200, success({ status: 'live' }));
      return;
    case 'GET /health':
    case 'GET /health/ready': {
      const faults = await readiness.faults();
      if (faults.length === 0) send(response, 200, success(readyView(await readiness.degradedBy(), await inTime(maintenance.inForce()))));
      else send(response, 503, failures.of('unavailable', faults.join(' ')));
      return;
    }
    default:
      send(
        response,
        404,
        failures.of('route_not_found', 'No such endpoint. This process serves /health, /health/live and /health/ready only.'),
      );
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  // Probes are rare, so each may have its own connection, and none stays open when the process stops.
  response.writeHead(status, {
    'Content-Type': ENVELOPE_TYPE,
    Connection: 'close',
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
  });
  response.end(JSON.stringify(body));
}
