import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMaker, writeMaker } from './data-directory.ts';
import { findFreePort } from './free-port.ts';
import { mongodVersion, provideMongod, replicaSetName } from './mongod.ts';
import { buildOrder, isMongodbBuild, type MongodbBuild } from './mongodb-build.ts';
import { assertListening, ensurePrimary, pingMongodb, singleNodeUri } from './mongodb-probe.ts';
import type { MongodbServer, ServerSearch } from './mongodb-server.ts';
import { NativeServer, PortTaken } from './native-server.ts';
import { ProvisionError, sentenceOf } from './provision-error.ts';
import { secantusConfigFile } from './secantus-args.ts';
import { hasCargoBuild, provideCargoServer } from './secantus-cargo.ts';
import { providePythonServer } from './secantus-python.ts';
import { provideWheelServer } from './secantus-wheel.ts';
import type { NativeStart, StartedBackend } from './started-backend.ts';

export interface NativeMongodbStart extends NativeStart {
  /** The build to run; null: the best that can be had. */
  readonly build: MongodbBuild | null;
}

const providers: Readonly<Record<MongodbBuild, (search: ServerSearch) => Promise<MongodbServer>>> =
  {
    mongod: provideMongod,
    cargo: provideCargoServer,
    wheel: provideWheelServer,
    python: providePythonServer,
  };

const probeTimeoutMs = 5_000;
const portTriesMax = 3;

/** MongoDB where it is installed, else SecantusDB, which speaks its protocol and keeps real files. */
export async function startNativeMongodb(start: NativeMongodbStart): Promise<StartedBackend> {
  const folder = join(start.dataFolder, 'mongodb');
  mkdirSync(join(folder, 'data'), { recursive: true });
  const program = await provideServer(start, makerOf(folder, start.build));
  writeMaker(folder, program.build);
  writeFileSync(
    join(folder, secantusConfigFile),
    '# Every setting is given on the command line.\n',
  );
  for (let tries = 1; ; tries += 1) {
    const port = start.port ?? (await findFreePort());
    const server = serverOn(port, folder, program, start);
    try {
      await server.start();
      return {
        address: singleNodeUri('127.0.0.1', port),
        origin: `${program.name}, native process`,
        control: server,
        stop: () => server.stop(),
      };
    } catch (error) {
      const again = error instanceof PortTaken && start.port === null && tries < portTriesMax;
      if (!again) throw error;
    }
  }
}

function serverOn(
  port: number,
  folder: string,
  program: MongodbServer,
  start: NativeMongodbStart,
): NativeServer {
  const uri = singleNodeUri('127.0.0.1', port);
  const set = { name: replicaSetName, host: `127.0.0.1:${port}`, timeoutMs: probeTimeoutMs };
  return new NativeServer({
    name: program.name,
    folder,
    command: program.command,
    args: program.args(port),
    environment: start.environment,
    port,
    portSetting: 'MONGODB_PORT',
    ready: async () => {
      await assertListening(port);
      if (program.build === 'mongod') await ensurePrimary(uri, set);
      else await pingMongodb(uri, probeTimeoutMs);
    },
    temporary: start.temporary,
    onProgress: start.onProgress,
    signal: start.signal,
  });
}

function makerOf(folder: string, asked: MongodbBuild | null): MongodbBuild | null {
  const maker = readMaker(folder);
  if (maker === null) return null;
  if (isMongodbBuild(maker) && (asked === null || asked === maker)) return maker;
  throw new ProvisionError(
    `The data in ${folder} were written by the MongoDB build "${maker}", and ${asked === null ? 'this version does not know it' : `"${asked}" was asked for`}. Remove the data (\`npm run reset\`), use another folder, or set MONGODB_NATIVE=${maker}.`,
  );
}

/** The first build that can be had; what stood in the way of each is told when none can. */
async function provideServer(
  start: NativeMongodbStart,
  madeBy: MongodbBuild | null,
): Promise<MongodbServer> {
  const builds = buildOrder({
    asked: start.build,
    madeBy,
    mongodInstalled: (await mongodVersion(start)) !== null,
    cargoBuildCached: hasCargoBuild(start.cacheDir),
  });
  const problems: string[] = [];
  for (const build of builds) {
    try {
      return await providers[build](start);
    } catch (error) {
      start.signal?.throwIfAborted();
      if (!(error instanceof ProvisionError)) throw error;
      problems.push(`${build}: ${sentenceOf(error)}`);
      start.onProgress(`The MongoDB build "${build}" cannot be had: ${sentenceOf(error)}`);
    }
  }
  throw new ProvisionError(
    `No MongoDB server can be run on this machine. Install MongoDB (\`mongod\` on the PATH), or Python 3.10 or later, or give the address of a running one in MONGODB_URI. In the way were:\n${problems.join('\n')}`,
  );
}
