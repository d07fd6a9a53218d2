import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';

const logBytesMax = 64 * 1024 * 1024;

/** Renames the log of the start before to `<path>.previous`. */
export function rotateLog(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.previous`);
}

/**
 * Moves the content of a log over 64 MiB to `<path>.previous`; its writer continues in the file.
 * Without space for that it deletes both.
 */
export function boundLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= logBytesMax) return;
  const previous = `${path}.previous`;
  try {
    copyFileSync(path, previous);
  } catch {
    rmSync(previous, { force: true, recursive: true });
  }
  truncateSync(path);
}

/** The last lines of a file that are not blank; empty when it cannot be read. */
export function logTail(path: string, linesMax: number): string {
  try {
    return lastLines(readFileSync(path, 'utf8'), linesMax);
  } catch {
    return '';
  }
}

export function lastLines(text: string, linesMax: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-linesMax).join('\n');
}
