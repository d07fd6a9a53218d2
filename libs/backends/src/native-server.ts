import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pidFile } from './data-directory.ts';
import { isPortFree } from './free-port.ts';
import { rotateLog } from './log-file.ts';
import { ManagedProcess, type ManagedProcessOptions } from './managed-process.ts';
import { SetupError } from './setup-error.ts';
import type { NativeStart, StartedBackend } from './started-backend.ts';

export interface NativeServer
  extends Pick<ManagedProcessOptions, 'name' | 'command' | 'args' | 'probe' | 'watch'> {
  /** Where it runs, with its log and its data. */
  readonly directory: string;
  readonly port: number;
  /** The setting that chooses the port. */
  readonly portSetting: string;
  /** The address for clients. */
  readonly address: string;
  /** With its version, for the screen. */
  readonly title: string;
}

/** Starts a server as a native process. Its process ends when the start fails or is aborted. */
export async function startNativeServer(
  server: NativeServer,
  { environment, isTemporary, onProgress, signal }: NativeStart,
): Promise<StartedBackend> {
  const { address, directory, port, portSetting, title, ...program } = server;
  if (!(await isPortFree(port))) {
    throw new SetupError(
      `${title} cannot listen on 127.0.0.1:${port}: the port is taken.`,
      `Stop the program that uses it, or set ${portSetting} to a free port.`,
    );
  }
  mkdirSync(directory, { recursive: true });
  const logFile = join(directory, 'server.log');
  rotateLog(logFile);
  const process = new ManagedProcess({
    ...program,
    cwd: directory,
    environment,
    logFile,
    pidFile: pidFile(directory),
    temporaryDirectory: isTemporary ? directory : undefined,
    onProgress,
  });
  onProgress(`${title} is starting.`, 'step');
  const abort = (): void => void process.stop('SIGKILL');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    await process.start();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  return {
    address,
    origin: `${title}, native process`,
    process,
    stop: () => process.stop(),
  };
}
