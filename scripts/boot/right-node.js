'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { exitCodeOf, runChild } = require('./child.js');
const { SetupError } = require('./setup-error.js');
const { childMark } = require('./signals.js');

/** Whether this process runs on a version that package.json's `engines` allows. */
function isRightNode(root) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, ...range] = /^>=(\d+)\.(\d+)\.\d+ <(\d+)$/.exec(engines.node);
  const [lowMajor, lowMinor, highMajor] = range.map(Number);
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major < highMajor && (major > lowMajor || (major === lowMajor && minor >= lowMinor));
}

/** The same command under the Node that was installed with the packages. */
async function runUnderRightNode(root, args) {
  // Without this, a wrong Node among the packages would start itself for ever.
  if (process.env[childMark]) throw cannotRun(root, `it is ${process.version}`);
  const result = await runChild(installedNode(root), args, {
    stdio: 'inherit',
    env: { ...process.env, [childMark]: '1' },
  });
  if (result.error) throw cannotRun(root, result.error.message);
  process.exitCode = exitCodeOf(result);
}

/** Throws when the installed Node does not start: wrong architecture, or another C library. */
async function assertInstalledNodeRuns(root) {
  const node = installedNode(root);
  if (!existsSync(node)) throw cannotRun(root, 'it was not installed');
  const result = await runChild(node, ['--version'], { stdio: ['ignore', 'pipe', 'pipe'] });
  if (result.error) throw cannotRun(root, result.error.message);
  if (result.code !== 0) throw cannotRun(root, result.output.trim());
}

function installedNode(root) {
  return join(root, 'node_modules', '.bin', 'node');
}

function cannotRun(root, reason) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return new SetupError(
    `The Node that comes with the packages does not run on this machine (${process.platform}/${process.arch}: ${reason}). Install Node ${engines.node} from https://nodejs.org and run the command with it.`,
  );
}

module.exports = { assertInstalledNodeRuns, installedNode, isRightNode, runUnderRightNode };
