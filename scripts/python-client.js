'use strict';

/**
 * `npm run python-client`: builds the wheel of libs/client-python into its `dist`, installs it with its
 * pinned packages in a private environment, and checks its types and its tests. Needs Python 3.11 and a
 * package index.
 */
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } = require('node:fs');
const { join, resolve } = require('node:path');

const folder = resolve(__dirname, '../libs/client-python');
const cache = resolve(__dirname, '../.cache');
const manifest = readFileSync(join(folder, 'pyproject.toml'));
const hash = createHash('sha256').update(manifest).digest('hex').slice(0, 16);
const environment = join(cache, `python-client-${hash}`);
const python = join(environment, 'bin', 'python');
const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--no-input'];

function run(command, ...args) {
  execFileSync(command, args, { cwd: folder, stdio: 'inherit' });
}

const isRecent = 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 is required.")';
run('python3', '-c', isRecent);
rmSync(join(folder, 'dist'), { recursive: true, force: true });
run('python3', ...pip, 'wheel', '--no-deps', '--wheel-dir', 'dist', '.');
const [wheel] = readdirSync(join(folder, 'dist')).map((name) => join('dist', name));
if (!existsSync(environment)) {
  // Made aside and renamed, so that it is there whole or not at all.
  const making = `${environment}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  run('python3', '-m', 'venv', making);
  run(join(making, 'bin', 'python'), ...pip, 'install', `${wheel}[check]`);
  renameSync(making, environment);
}
run(python, ...pip, 'install', '--force-reinstall', '--no-deps', wheel);
run(python, '-m', 'mypy');
run(python, '-m', 'pytest', '--quiet', '-p', 'no:cacheprovider');
