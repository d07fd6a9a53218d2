import { copyFileSync, existsSync, openSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, logTail } from '@inventory/backends/log-tail';

/** Past this a log begins anew; what it held is the `.previous` one. */
const logBytesMax = 64 * 1024 * 1024;
const linesSearched = 60;
const problemCharactersMax = 300;
const severeLevel = 50;

export function logPath(logsDir: string, label: string): string {
  return join(logsDir, `${label}.log`);
}

/** Each start of a stack has logs of its own; those of the start before stay beside them. */
export function rotateLog(path: string): void {
  if (existsSync(path)) renameSync(path, previousOf(path));
}

export function openLog(path: string): number {
  return openSync(path, 'a', 0o600);
}

/** Copies and empties a log that grew too large: processes go on appending to the same file. */
export function boundLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= logBytesMax) return;
  copyFileSync(path, previousOf(path));
  truncateSync(path);
}

/** In one line, what a service complained of last; null when its log tells no reason. */
export function lastProblem(path: string): string | null {
  const lines = logTail(path, linesSearched).split('\n').reverse();
  for (const line of lines) {
    const problem = severeMessage(line);
    if (problem !== null) return problem.slice(0, problemCharactersMax);
  }
  const last = lines.find((line) => line.trim() !== '' && !line.startsWith('{'));
  return last === undefined ? null : lastLines(last, 1).trim().slice(0, problemCharactersMax);
}

function severeMessage(line: string): string | null {
  let entry: { level?: unknown; msg?: unknown; err?: { message?: unknown } } | null;
  try {
    entry = JSON.parse(line) as typeof entry;
  } catch {
    return null;
  }
  if (typeof entry?.level !== 'number' || entry.level < severeLevel) return null;
  const parts = [entry.msg, entry.err?.message].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : parts.join(': ');
}

function previousOf(path: string): string {
  return `${path}.previous`;
}
