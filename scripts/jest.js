'use strict';

/**
 * `npm run -s jest -- <paths or patterns>`: Jest with the options that the tests need. Long tests
 * run only when an argument contains `long`.
 */
const { spawnSync } = require('node:child_process');
const { jestCommand } = require('./tests/run-jest.js');

const given = process.argv.slice(2);
const wantsLong = given.some((argument) => argument.includes('long'));
// Last: the option takes every word that follows it.
const [command, args] = jestCommand([...given, ...(wantsLong ? [] : ['--ignoreProjects=long'])]);
process.exitCode = spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;
