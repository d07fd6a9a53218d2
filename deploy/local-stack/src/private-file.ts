import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes JSON that only its owner may read. A reader of the file gets the old content or the new
 * one, never a part of it.
 */
export function writePrivateJson(path: string, content: unknown): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The content as an object; null when the file is missing or holds no JSON object. */
export function readJson(path: string): Readonly<Record<string, unknown>> | null {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(content) ? content : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
