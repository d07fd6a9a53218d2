/** File that keeps a server from reading the settings of its user (`~/.secantus`). */
export const secantusConfigFile = 'secantusd.toml';

/**
 * How SecantusDB is always run. Without `--sync-on-commit` it loses acknowledged writes when it is
 * killed, whatever write concern they asked for.
 */
export function secantusArgs(port: number): readonly string[] {
  return [
    '--config',
    secantusConfigFile,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--storage-path',
    'data',
    '--sync-on-commit',
    '--cache-size',
    '512M',
  ];
}

/** A log file is allocated whole (2 GB by default in some builds); the Python server has no such flag. */
export const secantusLogArgs: readonly string[] = ['--log-file-max', '128MB'];
