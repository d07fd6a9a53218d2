'use strict';

/**
 * `npm run python-client`: builds the wheel of libs/client-python into its `dist`, installs it with its
 * pinned packages in a private environment, and checks its types and its tests. Needs Python 3.11 and a
 * package index; without
 * them it ends with 69.
 */
const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const folder = resolve(__dirname, '../libs/client-python');
const environment = resolve(__dirname, '../.cache/python-client');
const python = join(environment, 'bin', 'python');
const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--no-input'];
/** EX_UNAVAILABLE: there is no Python, or no package index. */
const unavailable = 69;

function run(command, ...args) {
  execFileSync(command, args, { cwd: folder, stdio: 'inherit' });
}

function buildWheel() {
  const isRecent =
    'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 is required.")';
  run('python3', '-c', isRecent);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  run('python3', ...pip, 'wheel', '--no-deps', '--wheel-dir', 'dist', '.');
  return readdirSync(join(folder, 'dist')).map((name) => join('dist', name))[0];
}

/** An environment with the packages of this manifest. */
function prepareEnvironment(wheel) {
  const manifest = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  const made = join(environment, 'pyproject.toml');
  if (existsSync(made) && readFileSync(made, 'utf8') === manifest) return;
  rmSync(environment, { recursive: true, force: true });
  run('python3', '-m', 'venv', environment);
  run(python, ...pip, 'install', `${wheel}[check]`);
  // Last: it is whole then.
  writeFileSync(made, manifest);
}

function provideWheel() {
  try {
    const wheel = buildWheel();
    prepareEnvironment(wheel);
    run(python, ...pip, 'install', '--force-reinstall', '--no-deps', wheel);
  } catch {
    process.exit(unavailable);
  }
}

provideWheel();
run(python, '-m', 'mypy');
run(python, '-m', 'pytest', '--quiet', '-p', 'no:cacheprovider');
