import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCertificateDirectory } from '@inventory/testkit/certificates';
import type { Settings } from './known-settings.ts';
import type { Container } from './read-rendered.ts';

export interface StandInFiles {
  /** The same settings with files of this machine after those that name one. */
  standIn(environment: Settings): Settings;
  remove(): void;
}

/** Files as a cluster would mount them, whose content is what their settings ask for. */
export function makeStandInFiles(): StandInFiles {
  const folder = openCertificateDirectory();
  const authority = folder.newAuthority('cluster');
  const password = join(folder.path, 'password');
  writeFileSync(password, 'password-of-this-test\n');
  const fileFor = (name: string): string =>
    name.endsWith('_CA_FILE') ? authority.certificateFile : password;
  return {
    standIn: (environment) =>
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          name.endsWith('_FILE') ? fileFor(name) : value,
        ]),
      ),
    remove: folder.remove,
  };
}

/** Settings that name a file which no mounted Secret of the container brings. */
export function unmountedFiles(
  environment: Settings,
  { volumes = [], container }: { volumes?: readonly Volume[]; container: Container },
): string[] {
  const folders = (container.volumeMounts ?? [])
    .filter(({ name }) => volumes.some((volume) => volume.name === name && volume.secret))
    .map(({ mountPath }) => mountPath);
  return Object.entries(environment)
    .filter(([name]) => name.endsWith('_FILE'))
    .filter(([, path]) => !folders.some((folder) => path.startsWith(`${folder}/`)))
    .map(([name]) => name);
}

interface Volume {
  readonly name: string;
  readonly secret?: unknown;
}
