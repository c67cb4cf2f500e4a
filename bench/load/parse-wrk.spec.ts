import { describe, expect, it } from '@jest/globals';
import { parseWrk } from './parse-wrk.js';

const OUTPUT = `Running 10s test @ http://127.0.0.1:3000
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    12.30ms    4.10ms  90.00ms   80.00%
    Req/Sec     5.00k   300.00     5.60k    70.00%
  Latency Distribution
     50%  900.00us
     75%   14.00ms
     90%   18.00ms
     99%    1.20s 
  5000 requests in 10.00s, 5.00MB read
Requests/sec:    500.00
Transfer/sec:      0.50MB
`;

describe('the output of wrk', () => {
  it('is parsed in all of its units', () => {
    expect(parseWrk(OUTPUT)).toStrictEqual({
      requests: 5_000,
      seconds: 10,
      perSecond: 500,
      p50Ms: 0.9,
      p99Ms: 1_200,
      bytesPerResponse: 1_048.576,
    });
  });

  it('is refused if it reports other statuses than 2xx and 3xx, errors or no responses', () => {
    expect(() => parseWrk(`${OUTPUT}  Non-2xx or 3xx responses: 17\n`)).toThrow('17 of 5000 responses were not 2xx or 3xx.');
    expect(() => parseWrk(`${OUTPUT}  Socket errors: connect 0, read 3, write 0, timeout 1\n`)).toThrow(
      'wrk had errors: connect 0, read 3',
    );
    expect(() => parseWrk(OUTPUT.replace('5000 requests', '0 requests'))).toThrow('wrk got no response.');
    expect(() => parseWrk('unable to connect')).toThrow('unable to connect');
  });
});
