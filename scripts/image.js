'use strict';

/**
 * Assembles the content of a container image in an empty directory. The Dockerfile runs these
 * commands; a test runs them without Docker.
 *
 *   node scripts/image.js manifests <directory>           all manifests and the lockfile
 *   node scripts/image.js program <program> <directory>   one compiled program, ready to run
 */
const { execFileSync } = require('node:child_process');
const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } =
  require('node:fs');
const { dirname, join, resolve } = require('node:path');
const { writeBillOfMaterials } = require('./sbom.js');

const root = resolve(__dirname, '..');
const lockfiles = ['package-lock.json', '.npmrc'];
const scope = '@inventory/';
const telemetryOwner = `${scope}runtime`;

const readManifest = (folder) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** Directory of each workspace, by package name. */
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

/** The package and every workspace that it depends on, itself first. */
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

/** False for files that only the compiler and debuggers read. */
const isRun = (path) => !/\.(d\.ts|map|tsbuildinfo)$/.test(path);

function assembleProgram(program, target) {
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
  // The name by which scanners of images find it.
  writeFileSync(join(target, 'sbom.cdx.json'), writeBillOfMaterials(program));
  installInto(target);
}

/** The same entry point for every program. Telemetry is loaded before anything it instruments. */
function writeEntry(target, { program, isObserved, folders }) {
  const telemetry = isObserved
    ? [`require('./${folders.get(telemetryOwner)}/dist/telemetry.js');`]
    : [];
  const lines = ["'use strict';", ...telemetry, `require('./${program}/dist/main.js');`, ''];
  writeFileSync(join(target, 'main.js'), lines.join('\n'));
}

/** Exits with 0 when the program in this container is ready. */
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
 * `npm install`, not `npm ci`: the lockfile covers the whole repository, of which this is a part.
 * Its versions and checksums apply.
 */
function installInto(target) {
  const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const options = { cwd: target, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('npm', [...args, '--prefer-offline', '--loglevel=error'], options);
}

function main() {
  const [command, ...args] = process.argv.slice(2);
  if (command === 'manifests' && args.length === 1) return copyManifests(resolve(args[0]));
  if (command === 'program' && args.length === 2) return assembleProgram(args[0], resolve(args[1]));
  throw new Error('usage: image.js manifests <directory> | program <program> <directory>');
}

main();
