import { join } from 'node:path';
import { provideCached } from './cache-directory.ts';
import type { MongodbServer, ServerSearch } from './mongodb-server.ts';
import { installWheel, pythonIn } from './python-venv.ts';
import { secantusArgs } from './secantus-args.ts';

const spaceNeededMiB = 600;

/** SecantusDB's server in pure Python, from the newest wheel: right but slow, the last resort. */
export async function providePythonServer(search: ServerSearch): Promise<MongodbServer> {
  const folder = await provideCached({
    ...search,
    name: 'secantusdb-python',
    spaceNeededMiB,
    make: async (partial) => {
      search.onProgress('Fetching the Python server of SecantusDB with pip (once).');
      await installWheel(search, {
        folder: partial,
        packages: ['SecantusDB>=0.7.0b3'],
        withDependencies: true,
        script: 'secantusd-py',
      });
    },
  });
  return {
    build: 'python',
    name: 'SecantusDB (Python server)',
    command: pythonIn(folder),
    args: (port) => [join(folder, 'bin', 'secantusd-py'), ...secantusArgs(port)],
  };
}
