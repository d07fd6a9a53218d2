'use strict';

/** Jest with what the tests need: `npm run -s jest -- <paths or patterns>`. */
const { spawnSync } = require('node:child_process');
const { jestCommand } = require('./tests/run-jest.js');

const [command, args] = jestCommand(process.argv.slice(2));
process.exitCode = spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;
