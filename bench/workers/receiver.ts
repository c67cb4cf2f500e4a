import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

// A partner's server that accepts every notification. GET returns their number and pace, DELETE resets both.

const arrivals: number[] = [];
/** Share of the notifications at the beginning and at the end that the pace ignores, because the burst ramps up and down there. */
const IGNORED_SHARE = 0.1;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(pace()));
    return;
  }
  if (request.method === 'DELETE') arrivals.length = 0;
  request.resume().on('end', () => {
    if (request.method === 'POST') arrivals.push(performance.now());
    response.writeHead(200).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`receiver listening on ${(server.address() as AddressInfo).port}\n`);
});

function pace(): { count: number; perSecond: number } {
  const [from, to] = [Math.floor(arrivals.length * IGNORED_SHARE), Math.ceil(arrivals.length * (1 - IGNORED_SHARE)) - 1];
  const seconds = ((arrivals[to] ?? 0) - (arrivals[from] ?? 0)) / 1_000;
  return { count: arrivals.length, perSecond: (to - from) / seconds };
}
