'use strict';

/** For `node --require`: prints, when the process exits, the packages it has loaded, one a line. */
process.on('exit', () => {
  const packages = new Set();
  for (const file of Object.keys(require.cache)) {
    const name = /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file)?.[1];
    if (name !== undefined) packages.add(name.replaceAll('\\', '/'));
  }
  process.stdout.write(`${[...packages].sort().join('\n')}\n`);
});
