import { join } from 'node:path';
import { provideCached } from './cache-directory.ts';
import type { MongodbServer } from './mongodb-server.ts';
import { installWheel, pythonIn } from './python-venv.ts';
import { serverVersions } from './server-versions.ts';
import type { NativeStart } from './started-backend.ts';

/** Keeps the server from reading the settings of its user (`~/.secantus`). */
export const secantusConfigFile = 'secantusd.toml';
export const secantusStorage = 'data';
const script = 'secantusd-rs';
const spaceNeededMiB = 400;

/** SecantusDB's Rust server, prebuilt in a Python wheel. */
export async function provideSecantusdb(start: NativeStart): Promise<MongodbServer> {
  const version = serverVersions.secantusWheel;
  const directory = await provideCached({
    cacheDir: start.cacheDir,
    name: `secantusdb-wheel-${version}`,
    spaceNeededMiB,
    make: async (partial) => {
      start.onProgress(`Fetching SecantusDB ${version} with pip (25 MB, once).`, 'step');
      await installWheel(start, {
        directory: partial,
        requirement: `SecantusDB==${version}`,
        script,
      });
    },
  });
  return {
    title: `SecantusDB ${version}`,
    storage: secantusStorage,
    command: pythonIn(directory),
    args: (port) => [join(directory, 'bin', script), ...secantusArgs(port)],
    isReplicaSet: false,
  };
}

/**
 * Without `--sync-on-commit` the server loses acknowledged writes when it is killed, whatever write
 * concern they have. A log file is allocated whole, 2 GB by default.
 */
function secantusArgs(port: number): readonly string[] {
  return [
    '--config',
    secantusConfigFile,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--storage-path',
    secantusStorage,
    '--sync-on-commit',
    '--cache-size',
    '512M',
    '--log-file-max',
    '128MB',
  ];
}
