import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a local stack keeps on disk. Git ignores the default directory, `.local`. */
export interface LocalDirectory {
  readonly path: string;
  /** Of Kafka and MongoDB; `reset` removes it. */
  readonly dataDir: string;
  readonly logsDir: string;
  /** Locked by the process that runs a stack on this directory. */
  readonly lockFile: string;
  /** Number of that process; it stays when it is killed. */
  readonly pidFile: string;
  readonly secretsFile: string;
  /** The demo account and its key; removed with the data. */
  readonly demoFile: string;
  /** The demo account on a product that runs elsewhere. */
  readonly elsewhereDemoFile: string;
  /** For scripts; exists while a stack is ready. */
  readonly stackFile: string;
}

export function openLocalDirectory(path: string): LocalDirectory {
  const directory = localDirectory(path);
  mkdirSync(directory.dataDir, { recursive: true });
  mkdirSync(directory.logsDir, { recursive: true });
  return directory;
}

export function localDirectory(path: string): LocalDirectory {
  const at = resolve(path);
  return {
    path: at,
    dataDir: join(at, 'data'),
    logsDir: join(at, 'logs'),
    lockFile: join(at, 'stack.lock'),
    pidFile: join(at, 'stack.pid'),
    secretsFile: join(at, 'secrets.json'),
    demoFile: join(at, 'data', 'demo.json'),
    elsewhereDemoFile: join(at, 'demo-elsewhere.json'),
    stackFile: join(at, 'stack.json'),
  };
}

export function logPath(logsDir: string, name: string): string {
  return join(logsDir, `${name}.log`);
}
