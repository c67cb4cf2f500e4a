import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A partner's server that takes every notification at once. GET tells how many came and how fast, DELETE forgets them. */
const arrivals: number[] = [];
/** The beginning and the end of a burst are not the pace. */
const LEFT_OUT = 0.1;

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
  const [from, to] = [Math.floor(arrivals.length * LEFT_OUT), Math.ceil(arrivals.length * (1 - LEFT_OUT)) - 1];
  const seconds = ((arrivals[to] ?? 0) - (arrivals[from] ?? 0)) / 1_000;
  return { count: arrivals.length, perSecond: (to - from) / seconds };
}
