import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { SetupError } from '@inventory/backends/setup-error';
import type { ServiceName } from '@inventory/contracts/topics';

/** The same from `src` and from `dist`. */
export const repositoryRoot = resolve(__dirname, '../../..');

/**
 * For Node's NODE_COMPILE_CACHE: a process that starts again does not compile its modules again
 * (0.2 s of CPU time each, about a sixth of a start).
 */
export const compileCache = join(repositoryRoot, 'node_modules/.cache/compiled');

/** Arguments for Node that run a service of a checkout, telemetry loaded before anything it instruments. */
export function serviceProgram(service: ServiceName, root = repositoryRoot): readonly string[] {
  return [
    '--require',
    compiled('libs/runtime/dist/telemetry.js', root),
    compiled(`services/${service}/dist/main.js`, root),
  ];
}

export function simulatorProgram(): readonly string[] {
  return [compiled('test/platform-simulator/dist/main.js')];
}

/** A path for the screen: relative inside this checkout. */
export function shownPath(path: string): string {
  const inside = relative(repositoryRoot, path);
  return inside.startsWith('..') ? path : inside;
}

function compiled(path: string, root = repositoryRoot): string {
  const file = join(root, path);
  if (existsSync(file)) return file;
  throw new SetupError(`${path} is missing.`, 'Compile the sources: npm run build.');
}
