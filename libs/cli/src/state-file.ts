import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type CliProcess, UsageFault } from './cli-process.ts';

const fileBytesMax = 16 * 1024;

/** A file of the program in a directory of the user, by the XDG Base Directory Specification. */
export function userFile(
  { environment, homeDirectory }: CliProcess,
  kind: 'config' | 'state',
  name: string,
): string {
  const [variable, fallback] =
    kind === 'config' ? ['XDG_CONFIG_HOME', '.config'] : ['XDG_STATE_HOME', '.local/state'];
  const directory = environment[variable] || join(homeDirectory, fallback);
  if (!isAbsolute(directory)) throw new UsageFault(`${variable} must be an absolute path`);
  return join(directory, 'inventory', name);
}

/** The fields in a file of the user; null where there is no file. Any other file is a fault. */
export function readStateFile(path: string): Readonly<Record<string, unknown>> | null {
  try {
    const { mode, size } = statSync(path);
    // Windows has no such modes.
    if (process.getuid !== undefined && (mode & 0o077) !== 0) {
      throw new UsageFault(`others may read ${path}: chmod 600 it, and replace a key that it has`);
    }
    const value: unknown = size > fileBytesMax ? null : JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    // The message of the parser quotes the file.
    if (!(error instanceof SyntaxError)) throw faultOf(path, error);
  }
  throw new UsageFault(`${path} is not what this program writes: correct or delete it`);
}

/** Replaces the file at once: after a crash it is the old one or the new one. */
export function writeStateFile(path: string, value: object): void {
  const next = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(next, { force: true });
    writeFileSync(next, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(next, path);
  } catch (error) {
    throw faultOf(path, error);
  }
}

function faultOf(path: string, error: unknown): unknown {
  const code = codeOf(error);
  return code === undefined ? error : new UsageFault(`${path} cannot be used: ${code}`);
}

function codeOf(error: unknown): unknown {
  return (Object(error) as { code?: unknown }).code;
}
