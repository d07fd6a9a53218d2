import { copyFileSync, existsSync, openSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { logTail } from '@inventory/backends/log-tail';

/** Past this a log begins anew; what it held is the `.previous` one. */
const logBytesMax = 64 * 1024 * 1024;
const linesSearched = 60;
const plainLinesMax = 8;
const problemCharactersMax = 500;
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
  const lines = logTail(path, linesSearched).split('\n');
  const problem = plainEnding(lines) ?? lines.map(severeMessage).findLast((one) => one !== null);
  return problem?.slice(0, problemCharactersMax) ?? null;
}

/** A program that fails before it can log writes plain lines, and they are the last ones. */
function plainEnding(lines: readonly string[]): string | null {
  const firstPlain = lines.findLastIndex((line) => line.startsWith('{')) + 1;
  const telling = lines
    .slice(firstPlain)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(at |Node\.js v|\^+$)/.test(line));
  return telling.length === 0 ? null : telling.slice(-plainLinesMax).join(' ');
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
