'use strict';

/**
 * Runs one of the product's commands, first time and every time: installs what the lockfile says,
 * goes on under the right Node, compiles what changed. Only Node's own modules, from version 18
 * on, because it runs before anything is installed. It never writes to standard output, which
 * belongs to the command.
 */
const { existsSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { build } = require('./boot/build.js');
const { SetupError } = require('./boot/setup-error.js');
const { holdBootLock } = require('./boot/lock.js');
const { ensureInstalled } = require('./boot/install.js');
const { isRightNode, runUnderRightNode } = require('./boot/right-node.js');
const { endWithParent, mergeRepeatedSignals } = require('./boot/signals.js');

const root = resolve(__dirname, '..');
const targets = {
  start: 'deploy/local-stack/dist/main.js',
  reset: 'scripts/reset.js',
  operator: 'deploy/operator-cli/dist/main.js',
  bench: 'test/bench/dist/main.js',
  test: 'scripts/test.js',
  'test:long': 'scripts/test-long.js',
  jest: 'scripts/jest.js',
  generate: 'scripts/generate.js',
};

async function boot(name, args) {
  const target = Object.hasOwn(targets, name) ? join(root, targets[name]) : undefined;
  if (target === undefined) {
    throw new SetupError(
      `"${name}" is not a command: use one of ${Object.keys(targets).join(', ')}.`,
    );
  }
  const lock = await holdBootLock(root);
  try {
    await ensureInstalled(root);
    if (isRightNode(root)) await build(root);
  } finally {
    lock.release();
  }
  if (!isRightNode(root)) {
    await runUnderRightNode(root, [__filename, name, ...args]);
    return undefined;
  }
  if (!existsSync(target)) {
    throw new SetupError(
      `${targets[name]} is missing: this checkout is incomplete. Restore it (\`git status\` shows what is gone) and run again.`,
    );
  }
  return target;
}

async function main() {
  const [name = '', ...args] = process.argv.slice(2);
  endWithParent();
  let target;
  try {
    target = await boot(name, args);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
    return;
  }
  if (target === undefined) return;
  mergeRepeatedSignals();
  process.argv = [process.execPath, target, ...args];
  require(target);
}

void main();
