import { join } from 'node:path';
import { provideCached } from './cache-directory.ts';
import type { MongodbServer, ServerSearch } from './mongodb-server.ts';
import { installWheel, pythonIn } from './python-venv.ts';
import { secantusArgs, secantusLogArgs } from './secantus-args.ts';
import { serverVersions } from './server-versions.ts';

const spaceNeededMiB = 400;

/** SecantusDB's Rust server, prebuilt in a Python wheel. */
export async function provideWheelServer(search: ServerSearch): Promise<MongodbServer> {
  const version = serverVersions.secantusWheel;
  const folder = await provideCached({
    ...search,
    name: `secantusdb-wheel-${version}`,
    spaceNeededMiB,
    make: async (partial) => {
      search.onProgress(`Fetching SecantusDB ${version} with pip (25 MB, once).`);
      await installWheel(search, {
        folder: partial,
        packages: [`SecantusDB==${version}`],
        // Its Python dependencies serve the Python server, which is not run here.
        withDependencies: false,
        script: 'secantusd-rs',
      });
    },
  });
  return {
    build: 'wheel',
    name: `SecantusDB ${version} (wheel)`,
    command: pythonIn(folder),
    args: (port) => [
      join(folder, 'bin', 'secantusd-rs'),
      ...secantusArgs(port),
      ...secantusLogArgs,
    ],
  };
}
