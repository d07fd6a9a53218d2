'use strict';

/**
 * Jest with what the tests need: `npm run -s jest -- <paths or patterns>`. Long tests are run where
 * an argument names them.
 */
const { spawnSync } = require('node:child_process');
const { jestCommand } = require('./tests/run-jest.js');

const given = process.argv.slice(2);
const wantsLong = given.some((argument) => argument.includes('long'));
// Last: the option takes every name that follows it.
const [command, args] = jestCommand([...given, ...(wantsLong ? [] : ['--ignoreProjects=long'])]);
process.exitCode = spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;
