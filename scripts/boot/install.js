'use strict';

const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync, statfsSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { exitCodeOf, runChild } = require('./child.js');
const { SetupError } = require('./setup-error.js');
const { assertInstalledNodeRuns, installedNode, isRightNode } = require('./right-node.js');

const reminderMs = 15_000;
const linesShown = 15;
const spaceNeededMiB = 1_024;

/** Runs `npm install` when the lockfile or a package.json changed since it last did, or never did. */
async function ensureInstalled(root) {
  const stampFile = join(root, 'node_modules', '.install-stamp');
  if (isInstalled(root, stampFile)) return;
  assertFreeSpace(root);
  process.stderr.write('Installing packages (a first time takes about a minute).\n');
  const reminder = setInterval(() => process.stderr.write('Still installing.\n'), reminderMs);
  let result;
  try {
    result = await runNpmInstall(root);
  } finally {
    clearInterval(reminder);
  }
  if (result.error || result.signal || result.code !== 0) throw setupErrorOf(result);
  if (!isRightNode(root)) await assertInstalledNodeRuns(root);
  // Afterwards, because npm may complete the lockfile.
  writeFileSync(stampFile, fingerprint(root));
}

function isInstalled(root, stampFile) {
  if (!existsSync(stampFile)) return false;
  if (!isRightNode(root) && !existsSync(installedNode(root))) return false;
  return readFileSync(stampFile, 'utf8') === fingerprint(root);
}

/** Hash of everything that says which packages there must be, the kind of machine included. */
function fingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['package-lock.json', 'package.json', ...workspacePackages(root)]) {
    const path = join(root, file);
    hash.update(`${file}\n`);
    if (existsSync(path)) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Asked before, because npm on a full disk fails in many words, none of which says so. */
function assertFreeSpace(root) {
  // Node 18.0 to 18.14 cannot tell.
  if (!statfsSync) return;
  const { bavail, bsize } = statfsSync(root);
  const freeMiB = Math.floor((bavail * bsize) / 1024 ** 2);
  if (freeMiB >= spaceNeededMiB) return;
  throw new SetupError(
    `The disk is too full to install the packages: ${freeMiB} MiB are free at ${root} and ${spaceNeededMiB} MiB are needed. Free some space and run again.`,
  );
}

/** Each workspace is a folder, or all folders in one (`libs/*`). */
function workspacePackages(root) {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folders = workspaces.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    if (!existsSync(join(root, parent))) return [];
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  });
  return folders.sort().map((folder) => `${folder}/package.json`);
}

/** Development packages always, whatever NODE_ENV says: they compile and test the product. */
function runNpmInstall(root) {
  const args = ['install', '--include=dev', '--no-audit', '--no-fund', '--no-progress'];
  const npmScript = process.env.npm_execpath;
  const isNpm = npmScript !== undefined && basename(npmScript) === 'npm-cli.js';
  const [command, ...first] = isNpm ? [process.execPath, npmScript] : ['npm'];
  return runChild(command, [...first, ...args, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const knownCauses = [
  [/ENOSPC|no space left/i, 'the disk is full: free about 1 GB and run again.'],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_/,
    'the npm registry cannot be reached: check the network and the proxy (`npm config get registry` tells the address) and run again.',
  ],
  [
    /E401|E403/,
    'the npm registry refuses access: log in (`npm login`) or correct ~/.npmrc and run again.',
  ],
  [
    /ETARGET|E404/,
    'the npm registry lacks a package of the lockfile: use a complete registry (`npm config get registry` tells the address) and run again.',
  ],
  [
    /EBADPLATFORM|Unsupported platform|notsup/i,
    `a package has no build for this machine (${process.platform}/${process.arch}): use a machine of a common kind (Linux or macOS on x64 or arm64).`,
  ],
  [
    /EACCES|EPERM|EROFS/,
    'this folder or the npm cache is not writable: correct their owner and permissions and run again.',
  ],
];

function setupErrorOf(result) {
  if (result.error?.code === 'ENOENT') {
    return new SetupError(
      'npm is not installed: install Node with npm from https://nodejs.org and run again.',
    );
  }
  if (result.error) return new SetupError(`npm cannot be run: ${result.error.message}`);
  if (result.signal) return new SetupError('Installing was interrupted.', exitCodeOf(result));
  const cause = knownCauses.find(([pattern]) => pattern.test(result.output))?.[1];
  if (cause) return new SetupError(`Installing packages failed: ${cause}`);
  const lines = result.output.trim().split('\n').slice(-linesShown).join('\n');
  return new SetupError(`Installing packages failed (npm exit code ${result.code}):\n${lines}`);
}

module.exports = { ensureInstalled };
