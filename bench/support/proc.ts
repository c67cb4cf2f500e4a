import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: Linux reports processor time in hundredths of a second, independent of the kernel's tick. */
const TICKS_PER_SECOND = 100;
export const HAS_PROC = existsSync('/proc/self/stat') && existsSync('/proc/stat');

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** User and system time including ended children, in seconds. */
  readonly cpuSeconds: number;
  /** User and system time without children, in seconds. */
  readonly ownCpuSeconds: number;
}

/** Parses /proc/<pid>/stat. A name may contain blanks and parentheses. */
export function parseStat(line: string): ProcessStat {
  const [open, close] = [line.indexOf('('), line.lastIndexOf(')')];
  const fields = line
    .slice(close + 2)
    .trim()
    .split(' ')
    .map(Number);
  const seconds = (...indexes: number[]): number => indexes.reduce((sum, index) => sum + (fields[index] ?? 0), 0) / TICKS_PER_SECOND;
  const [user, system, childrenUser, childrenSystem] = [11, 12, 13, 14];
  return {
    pid: Number(line.slice(0, open)),
    parent: fields[1] ?? 0,
    name: line.slice(open + 1, close),
    cpuSeconds: seconds(user, system, childrenUser, childrenSystem),
    ownCpuSeconds: seconds(user, system),
  };
}

export interface MachineTime {
  /** Time of all cores, in seconds. */
  readonly totalSeconds: number;
  readonly busySeconds: number;
  /** Steal time: time that the hypervisor gave to other machines, in seconds. */
  readonly stolenSeconds: number;
}

/** Parses the first line of /proc/stat. */
export function parseMachineTime(text: string): MachineTime {
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = (text.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq;
  return {
    totalSeconds: (busy + idle + iowait + steal) / TICKS_PER_SECOND,
    busySeconds: busy / TICKS_PER_SECOND,
    stolenSeconds: steal / TICKS_PER_SECOND,
  };
}

export function machineTime(): MachineTime | undefined {
  return HAS_PROC ? parseMachineTime(readFileSync('/proc/stat', 'utf8')) : undefined;
}

/** Returns a process and all of its descendants. */
export function processTree(root: number): ProcessStat[] {
  const all = allProcesses();
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

/** Returns the processor time so far of a process and all of its descendants, in seconds. */
export function cpuSecondsOf(root: number): number {
  return processTree(root).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

export interface ThreadTime {
  readonly name: string;
  readonly cpuSeconds: number;
}

/** Returns the processor time of each thread of a process, by thread id. */
export function threadsOf(pid: number): Map<number, ThreadTime> {
  const threads = new Map<number, ThreadTime>();
  for (const task of numbersIn(`/proc/${pid}/task`)) {
    const stat = read(`/proc/${pid}/task/${task}/stat`);
    if (stat === undefined) continue;
    const { name, ownCpuSeconds } = parseStat(stat);
    threads.set(task, { name, cpuSeconds: ownCpuSeconds });
  }
  return threads;
}

export interface Memory {
  readonly rssMiB: number;
  /** Resident memory without file mappings and shared memory, such as LMDB's pages and PostgreSQL's buffers. */
  readonly anonymousMiB: number;
}

export function memoryOf(pid: number): Memory | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const kilobytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return { rssMiB: kilobytes('VmRSS') / 1_024, anonymousMiB: kilobytes('RssAnon') / 1_024 };
}

function allProcesses(): ProcessStat[] {
  return numbersIn('/proc').flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    return stat === undefined ? [] : [parseStat(stat)];
  });
}

function numbersIn(folder: string): number[] {
  if (!HAS_PROC) return [];
  try {
    return readdirSync(folder)
      .map(Number)
      .filter((number) => number > 0);
  } catch {
    return [];
  }
}

/** Returns the text of a file, or undefined if its process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
