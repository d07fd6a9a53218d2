import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a local stack keeps on disk. Git ignores the default folder, `.local`. */
export interface LocalDirectory {
  readonly path: string;
  /** Of Kafka and MongoDB; `reset` removes it. */
  readonly dataDir: string;
  readonly logsDir: string;
  /** Names the process that runs a stack on this folder. */
  readonly lockFile: string;
  readonly secretsFile: string;
  /** The demo account and its key. Among the data, because it is gone when they are. */
  readonly demoFile: string;
  /** The same of a product that this folder is not of. */
  readonly elsewhereDemoFile: string;
  /** For scripts; there only while a stack is ready. */
  readonly stackFile: string;
}

export function openLocalDirectory(path: string): LocalDirectory {
  const folder = localDirectory(path);
  mkdirSync(folder.dataDir, { recursive: true });
  mkdirSync(folder.logsDir, { recursive: true });
  return folder;
}

export function localDirectory(path: string): LocalDirectory {
  const at = resolve(path);
  return {
    path: at,
    dataDir: join(at, 'data'),
    logsDir: join(at, 'logs'),
    lockFile: join(at, 'stack.lock'),
    secretsFile: join(at, 'secrets.json'),
    demoFile: join(at, 'data', 'demo.json'),
    elsewhereDemoFile: join(at, 'demo-elsewhere.json'),
    stackFile: join(at, 'stack.json'),
  };
}
