'use strict';

/** The packages that the lockfile installs beside each program that is shipped. */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Workspaces that are shipped: images, both command lines, the client library. */
function shippedFolders(root) {
  const services = readdirSync(join(root, 'services')).map((name) => `services/${name}`);
  const others = ['test/platform-simulator', 'deploy/operator-cli', 'libs/cli', 'libs/client'];
  return [...services, ...others].toSorted();
}

/**
 * Third-party packages, each once, by name and version:
 * `{ name, version, licence, integrity, os, users }`. The licence is that of the lockfile, or undefined;
 * `os` names the systems that it is for, undefined where it is for all: of those with it one is installed.
 */
function shippedPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const folder of shippedFolders(root)) {
    const user = folder.split('/').at(-1);
    for (const path of closureOf(folder, packages)) {
      if (!path.includes('node_modules/')) continue;
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const { version, license: licence, integrity, os } = packages[path];
      const key = `${name}@${version}`;
      const known = found.get(key) ?? { name, version, licence, integrity, os, users: [] };
      if (!known.users.includes(user)) known.users.push(user);
      found.set(key, known);
    }
  }
  return [...found.values()].toSorted(
    (left, right) => compareText(left.name, right.name) || compareText(left.version, right.version),
  );
}

/** Entries of the lockfile that one entry needs, itself included. */
function closureOf(path, packages, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[path];
  for (const name of Object.keys({
    ...peerDependencies,
    ...dependencies,
    ...optionalDependencies,
  })) {
    const resolved = resolvePackage(name, path, packages);
    if (resolved !== undefined) closureOf(resolved, packages, found);
  }
  return found;
}

/** As Node resolves: beside the importer, then upwards. An optional package may be missing. */
function resolvePackage(name, from, packages) {
  for (let folder = from; ; folder = folder.includes('/') ? folder.replace(/\/[^/]*$/, '') : '') {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    const entry = packages[path];
    if (entry !== undefined) return entry.link ? entry.resolved : path;
    if (folder === '') return undefined;
  }
}

function compareText(left, right) {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

module.exports = { shippedFolders, shippedPackages };
