'use strict';

/**
 * Runs before each command (the `pre…` scripts of package.json): installs packages when
 * package-lock.json changed, then compiles and bundles what changed. Runs on Node 18 or later with no package
 * installed. Standard output belongs to the command: everything is printed to standard error.
 */
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const { join, resolve } = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');

const root = resolve(__dirname, '..');
const lockfile = join(root, 'package-lock.json');
/** Copy of the lockfile that was installed last. */
const installed = join(root, 'node_modules/.installed-lock.json');
/** Symbolic link to the number of the process that installs or compiles. */
const mutex = join(root, 'node_modules/.prepare.lock');

async function prepare() {
  fs.mkdirSync(join(root, 'node_modules'), { recursive: true });
  await acquireMutex();
  try {
    const wanted = fs.readFileSync(lockfile);
    if (!fs.existsSync(installed) || !fs.readFileSync(installed).equals(wanted)) {
      console.error('Installing packages: about a minute the first time.');
      await run('npm', 'install', '--include=dev', '--no-progress', '--loglevel=error');
      checkNode();
      fs.copyFileSync(lockfile, installed);
    }
    // Projects are compiled side by side; further checkers of one repeat much of its work.
    await run('tsc', '--build', 'tsconfig.build.json', '--checkers', '1');
    await run('node', 'scripts/bundle-console.js');
  } finally {
    fs.rmSync(mutex, { force: true });
  }
}

/** The packages contain Node for Linux. Elsewhere the one on the PATH has to be of its major version. */
function checkNode() {
  const { optionalDependencies } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = Object.values(optionalDependencies)[0];
  const present = execFileSync('node', ['-p', 'process.versions.node'], { encoding: 'utf8' });
  if (Number.parseInt(present, 10) === Number.parseInt(wanted, 10)) return;
  const { platform, arch } = process;
  throw new Error(`Node ${present.trim()} is too old or too new. For ${platform} ${arch} no Node is \
installed with the packages: install Node ${wanted} first.`);
}

/** Commands of packages are on the PATH: npm puts node_modules/.bin first. */
function run(command, ...args) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.once('error', fail);
    child.once('close', (code) => (code === 0 ? done() : fail(new Error(`${command} failed.`))));
  });
}

/** Two commands in one clone do not install at the same time. A dead holder loses the mutex. */
async function acquireMutex() {
  for (let tries = 0; ; tries += 1) {
    try {
      fs.symlinkSync(String(process.pid), mutex);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isHeld()) fs.rmSync(mutex, { force: true });
    else if (tries === 0) console.error(`Waiting for another command that installs (${mutex}).`);
    await pause(100);
  }
}

function isHeld() {
  try {
    return process.kill(Number(fs.readlinkSync(mutex)), 0);
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

prepare().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
