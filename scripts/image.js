'use strict';

/**
 * What a container image holds, made in an empty folder: the Dockerfile runs these commands, and a
 * test runs them without Docker.
 *
 *   node scripts/image.js manifests <folder>           all manifests and the lockfile, nothing else
 *   node scripts/image.js compile                      every program, in place
 *   node scripts/image.js program <program> <folder>   one compiled program, ready to run
 */
const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } =
  require('node:fs');
const { dirname, join, resolve } = require('node:path');
const { build } = require('./boot/build.js');
const { runChild } = require('./boot/child.js');

const root = resolve(__dirname, '..');
const lockfiles = ['package-lock.json', '.npmrc'];
const scope = '@inventory/';
const telemetryOwner = `${scope}runtime`;

const readManifest = (folder) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** Folder of each package of ours, by its name. */
function workspaceFolders() {
  const folders = readManifest('.').workspaces.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  });
  return new Map(
    folders
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => [readManifest(folder).name, folder]),
  );
}

/** The package and every package of ours that it needs, itself first. */
function closureOf(name, folders, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const { dependencies = {} } = readManifest(folders.get(name));
  for (const needed of Object.keys(dependencies)) {
    if (folders.has(needed)) closureOf(needed, folders, found);
  }
  return found;
}

function copyInto(target, path, filter = () => true) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(join(root, path), join(target, path), { recursive: true, filter });
}

function copyManifests(target) {
  for (const file of ['package.json', ...lockfiles]) copyInto(target, file);
  for (const folder of workspaceFolders().values()) copyInto(target, `${folder}/package.json`);
}

/** Runs as JavaScript; not what only the compiler and debuggers read. */
const isRun = (path) => !/\.(d\.ts|map|tsbuildinfo)$/.test(path);

async function assembleProgram(program, target) {
  const folders = workspaceFolders();
  const name = scope + program;
  if (!folders.has(name)) throw new Error(`there is no package ${name}`);
  const needed = [...closureOf(name, folders)];
  for (const file of lockfiles) copyInto(target, file);
  const { version, engines } = readManifest('.');
  const own = needed.map((one) => folders.get(one));
  const manifest = {
    name: program,
    version,
    private: true,
    type: 'commonjs',
    workspaces: own,
    engines,
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const folder of own) {
    copyInto(target, `${folder}/package.json`);
    copyInto(target, `${folder}/dist`, isRun);
  }
  writeEntry(target, {
    program: folders.get(name),
    isObserved: needed.includes(telemetryOwner),
    folders,
  });
  writeHealthCheck(target, program);
  await installInto(target);
}

/** One file to run whatever the program is. Telemetry comes before anything it instruments. */
function writeEntry(target, { program, isObserved, folders }) {
  const telemetry = isObserved
    ? [`require('./${folders.get(telemetryOwner)}/dist/telemetry.js');`]
    : [];
  const lines = ["'use strict';", ...telemetry, `require('./${program}/dist/main.js');`, ''];
  writeFileSync(join(target, 'main.js'), lines.join('\n'));
}

/** Exit code 0 when the program in this container answers that it is ready. */
function writeHealthCheck(target, program) {
  const [setting, path] =
    program === 'platform-simulator' ? ['SIMULATOR_PORT', '/livez'] : ['HTTP_PORT', '/readyz'];
  const lines = [
    "'use strict';",
    `const url = \`http://127.0.0.1:\${process.env.${setting}}${path}\`;`,
    'fetch(url, { signal: AbortSignal.timeout(4_000) }).then(',
    '  ({ ok }) => process.exit(ok ? 0 : 1),',
    '  () => process.exit(1),',
    ');',
    '',
  ];
  writeFileSync(join(target, 'healthcheck.js'), lines.join('\n'));
}

/**
 * `npm install` and not `npm ci`: the lockfile is that of the whole repository, of which this is a
 * part. What it says of versions and checksums holds all the same.
 */
async function installInto(target) {
  const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const result = await runChild('npm', [...args, '--prefer-offline', '--loglevel=error'], {
    cwd: target,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.error) throw result.error;
  if (result.code !== 0) throw new Error(`npm install failed:\n${result.output}`);
}

async function main() {
  const [command, ...args] = process.argv.slice(2);
  if (command === 'manifests' && args.length === 1) return copyManifests(resolve(args[0]));
  if (command === 'compile' && args.length === 0) return build(root);
  if (command === 'program' && args.length === 2) return assembleProgram(args[0], resolve(args[1]));
  throw new Error('usage: image.js manifests <folder> | compile | program <program> <folder>');
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
