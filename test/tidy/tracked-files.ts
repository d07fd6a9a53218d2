import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(__dirname, '../..');

export interface TrackedFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every text file that is or is about to be part of the repository. */
export function trackedFiles(pattern: RegExp): TrackedFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((path) => path !== '' && pattern.test(path))
    .flatMap((path) => {
      try {
        return [{ path, text: readFileSync(join(root, path), 'utf8') }];
      } catch {
        // Deleted and not yet committed.
        return [];
      }
    });
}

/** The program of a service, its tests left out. */
export function programOf(service: string): TrackedFile[] {
  return trackedFiles(new RegExp(`^services/${service}/src/.*\\.ts$`)).filter(
    ({ path }) => !path.endsWith('.test.ts'),
  );
}

export function readJson<Shape>(path: string): Shape {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Shape;
}
