import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideCached } from './cache-directory.ts';
import { findFreePort } from './free-port.ts';
import { findMongod, mongodStorage, replicaSetName } from './mongod.ts';
import { ensurePrimary, pingMongodb, singleNodeUri, watchForPanic } from './mongodb-probe.ts';
import type { MongodbServer } from './mongodb-server.ts';
import { startNativeServer } from './native-server.ts';
import { installWheel, pythonIn } from './python-venv.ts';
import { serverVersions } from './server-versions.ts';
import { SetupError } from './setup-error.ts';
import type { NativeStart, StartedBackend } from './started-backend.ts';

const probeTimeoutMs = 5_000;

/** MongoDB where it is installed, else SecantusDB, which speaks its protocol. */
export async function startNativeMongodb(start: NativeStart): Promise<StartedBackend> {
  const directory = join(start.dataDir, 'mongodb');
  const { title, storage, command, args, isReplicaSet } = await provideServer(start, directory);
  mkdirSync(join(directory, storage), { recursive: true });
  writeFileSync(join(directory, secantusConfigFile), '# Every setting is an argument.\n');
  const port = start.port ?? (await findFreePort());
  const uri = singleNodeUri('127.0.0.1', port);
  const set = { name: replicaSetName, host: `127.0.0.1:${port}`, timeoutMs: probeTimeoutMs };
  return startNativeServer(
    {
      name: 'MongoDB',
      title,
      directory,
      command,
      args: args(port),
      port,
      portSetting: 'MONGODB_PORT',
      address: isReplicaSet ? uri : `${uri}&${unnumbered}`,
      probe: () => (isReplicaSet ? ensurePrimary(uri, set) : pingMongodb(uri, probeTimeoutMs)),
      watch: (over) => watchForPanic(uri, probeTimeoutMs, over),
    },
    start,
  );
}

/** Data are opened only by the program that wrote them. */
async function provideServer(start: NativeStart, directory: string): Promise<MongodbServer> {
  const wrote = (storage: string): boolean => existsSync(join(directory, storage));
  const mongod = wrote(secantusStorage) ? null : await findMongod(start);
  if (mongod !== null) return mongod;
  if (wrote(mongodStorage)) {
    throw new SetupError(
      `The data in ${directory} were written by \`mongod\`, which is not on the PATH.`,
      'Install MongoDB, or remove the data (`npm run reset`).',
    );
  }
  try {
    return await provideSecantusdb(start);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(
      `No MongoDB server can be run on this machine. ${error.message}`,
      'Install MongoDB (`mongod` on the PATH) or Python 3.10 or later, or give the address of a running server in MONGODB_URI.',
    );
  }
}

/** Keeps the server from reading the settings of its user (`~/.secantus`). */
const secantusConfigFile = 'secantusd.toml';
const secantusStorage = 'data';
/**
 * It keeps the numbers of the last 10,000 writes that a driver may retry, and sorts them with every
 * further one, which takes a millisecond of CPU instead of a fifth.
 */
const unnumbered = 'retryWrites=false';
const script = 'secantusd-rs';
const spaceNeededMiB = 400;

/** SecantusDB's Rust server, prebuilt in a Python wheel. */
async function provideSecantusdb(start: NativeStart): Promise<MongodbServer> {
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
