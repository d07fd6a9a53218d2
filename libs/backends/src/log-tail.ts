import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytesMax = 16 * 1024;

/** The last lines of a file that are not blank; empty when it cannot be read. */
export function logTail(path: string, linesMax: number): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, tailBytesMax);
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, size - length);
    return lastLines(bytes.toString('utf8'), linesMax);
  } finally {
    closeSync(file);
  }
}

export function lastLines(text: string, linesMax: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-linesMax).join('\n');
}
