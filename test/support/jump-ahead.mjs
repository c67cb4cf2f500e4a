// Loaded with `node --import` into each thread of a service: its clocks and timers jump ahead together when the test adds to the milliseconds
// in the file `ahead` of the folder TIME_DIR, and its sessions in PostgreSQL find the time of the test. A timer that a jump makes due runs
// once, as on a host that was suspended; between two jumps the time is the true one. Before a jump, each thread is held until all of
// them are (the file `hold`): otherwise one would read what another has dated after the jump, and find it ahead of its own time. After each
// jump, and when the test asks for it, a thread reports to a file of its own in that folder.
import { Session } from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId, workerData } from 'node:worker_threads';

const POLL_MS = 2;
/** A thread that is held when its test ends goes on, so that its process can be stopped. */
const HELD_FOR_MS = 120_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
const folder = process.env.TIME_DIR ?? '.';
const isEventStore = workerData?.dataDir !== undefined;
const own = `${folder}/thread-${process.pid}-${threadId}`;

const RealDate = Date;
const realDateNow = Date.now.bind(Date);
const realNow = performance.now.bind(performance);
const real = { ...timers };
const now = () => realNow() + ahead;

/** Milliseconds by which the time is ahead of the true one. */
let ahead = read('ahead');
let counted = 0;
let held = read('hold');
let sizes;
/** Delays that are no number of milliseconds, or so long that Node makes them one millisecond. */
const wrongDelays = [];
/** Every timer that waits, with its function, its delay and the time at which it is due. */
const waiting = new Map();

globalThis.Date = class Date extends RealDate {
  constructor(...values) {
    super(...(values.length === 0 ? [realDateNow() + ahead] : values));
  }

  static now() {
    return realDateNow() + ahead;
  }
};
performance.now = now;

function wait(start, isRepeated) {
  return (call, ms = 1, ...values) => {
    if (Number.isNaN(Number(ms)) || Number(ms) > MAX_TIMER_MS) wrongDelays.push(`${ms} ${new Error().stack}`);
    const due = () => {
      if (isRepeated) waiting.get(timer).at = now() + ms;
      else waiting.delete(timer);
      timer._idleTimeout = Math.max(1, ms);
      call(...values);
    };
    const timer = start(due, ms);
    const wait = { at: now() + ms, ms };
    waiting.set(timer, wait);
    const { refresh } = timer;
    timer.refresh = () => {
      waiting.set(timer, Object.assign(wait, { at: now() + ms }));
      timer._idleTimeout = Math.max(1, ms);
      return refresh.call(timer);
    };
    return timer;
  };
}

function stop(clear) {
  return (timer) => {
    if (typeof timer === 'object') waiting.delete(timer);
    clear(timer);
  };
}

const patched = {
  setTimeout: wait(real.setTimeout, false),
  setInterval: wait(real.setInterval, true),
  clearTimeout: stop(real.clearTimeout),
  clearInterval: stop(real.clearInterval),
};
Object.assign(timers, patched);
Object.assign(globalThis, patched);
timersPromises.setTimeout = (ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      patched.clearTimeout(timer);
      reject(Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }));
    };
    const timer = patched.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
syncBuiltinESMExports();

/** The service sets the search path of its sessions to this. The functions in the schema `jumping` must come before PostgreSQL's own. */
const SEARCH_PATH = 'set search_path = public;';
const JUMPING = 'set search_path = public, jumping, pg_catalog;';
/** The service reads the database's clock with this text. It must show what the thread shows, or the service finds one of them wrong. */
const DATABASE_CLOCK = 'extract(epoch from clock_timestamp())';
const jumpedClock = () => `extract(epoch from pg_catalog.clock_timestamp() + interval '${ahead} ms')`;
const QUERY = 'Q'.charCodeAt(0);
/** The build bundles the driver of PostgreSQL, so its messages are changed on their way: a letter, four bytes of length, a text that ends with 0. */
const { write } = Socket.prototype;
Socket.prototype.write = function (data, ...values) {
  if (!Buffer.isBuffer(data) || data[0] !== QUERY) return write.call(this, data, ...values);
  if (!data.includes(SEARCH_PATH) && !data.includes(DATABASE_CLOCK)) return write.call(this, data, ...values);
  const end = 1 + data.readUInt32BE(1);
  const text = Buffer.from(data.toString('utf8', 5, end).replace(SEARCH_PATH, JUMPING).replace(DATABASE_CLOCK, jumpedClock()));
  const message = Buffer.concat([Buffer.from('Q0000'), text, data.subarray(end)]);
  message.writeUInt32BE(4 + text.length, 1);
  return write.call(this, message, ...values);
};

real
  .setInterval(() => {
    holdForJump();
    const [wantedAhead, wantedCount] = [read('ahead'), read('count')];
    if (wantedAhead === ahead && wantedCount === counted) return;
    ahead = wantedAhead;
    for (const [timer, { at }] of waiting) {
      if (timer._destroyed) {
        waiting.delete(timer);
        continue;
      }
      // The other timers are looked at again after the next jump, which is longer than they wait.
      if (at > now()) continue;
      timer._idleTimeout = 1;
      Object.getPrototypeOf(timer).refresh.call(timer);
    }
    if (wantedCount !== counted) sizes = measure();
    counted = wantedCount;
    report();
  }, POLL_MS)
  .unref();
report();

/** Holds this thread, if the test asks for it, until the test has made the jump. */
function holdForJump() {
  const wanted = read('hold');
  if (wanted === held) return;
  held = wanted;
  report();
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  const end = realNow() + HELD_FOR_MS;
  while (read('ahead') !== held && realNow() < end) Atomics.wait(asleep, 0, 0, POLL_MS);
}

function read(file) {
  return Number(readFileSync(`${folder}/${file}`, 'utf8'));
}

/** Replaces the report as a whole, because a reader could meet a half-written one. */
function report() {
  writeFileSync(`${own}.new`, JSON.stringify({ isEventStore, ahead, held, counted, sizes, timers: waiting.size, wrongDelays }));
  renameSync(`${own}.new`, `${own}.json`);
}

/**
 * Returns the numbers of entries of all maps, sets and arrays that this thread can reach, by what their first entries look like. Arrays of arrays do not count:
 * Node reads the tables of source maps when it prints a stack.
 */
function measure() {
  setFlagsFromString('--expose-gc');
  for (let time = 0; time < 2; time += 1) runInNewContext('gc')();
  const session = new Session();
  session.connect();
  const sizes = { ...sizesOf(session, 'Map', 'size'), ...sizesOf(session, 'Set', 'size'), ...sizesOf(session, 'Array', 'length') };
  session.disconnect();
  return sizes;
}

function sizesOf(session, type, property) {
  const functionDeclaration = `function () {
    const counts = (each) => {
      try {
        return Object.getPrototypeOf(each) === ${type}.prototype && each.${property} >= 8 && !Array.isArray(each[0]);
      } catch {
        return false;
      }
    };
    const show = (value) => (typeof value === 'object' ? Object.keys(value ?? {}).slice(0, 5).join() : typeof value);
    const sizes = {};
    for (const each of this.filter(counts)) {
      const name = '${type} of ' + show(each.values().next().value);
      sizes[name] = (sizes[name] ?? 0) + each.${property};
    }
    return sizes;
  }`;
  let sizes;
  const objectGroup = 'sizes';
  session.post('Runtime.evaluate', { expression: `${type}.prototype`, objectGroup }, (_failed, { result }) => {
    session.post('Runtime.queryObjects', { prototypeObjectId: result.objectId, objectGroup }, (_error, { objects }) => {
      session.post('Runtime.callFunctionOn', { objectId: objects.objectId, functionDeclaration, returnByValue: true }, (_, called) => {
        sizes = called.result.value;
      });
    });
  });
  session.post('Runtime.releaseObjectGroup', { objectGroup });
  return sizes;
}
