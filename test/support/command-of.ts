import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a command of this machine is; null where the PATH has none. */
export function commandOf(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((one) => join(one, name)).find((path) => existsSync(path)) ?? null;
}
