'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end and passes on the signals that this process gets meanwhile. Resolves
 * with how it ended, as `{ error }` when it could not be run at all.
 */
function runChild(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    const pass = passedOn.map((signal) => [signal, () => child.kill(signal)]);
    for (const [signal, listener] of pass) process.on(signal, listener);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-64 * 1024);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    const end = (result) => {
      for (const [signal, listener] of pass) process.removeListener(signal, listener);
      resolve({ output, ...result });
    };
    child.once('error', (error) => end({ error }));
    // Without pipes nothing is left to be read at "exit", and a grandchild cannot delay it.
    child.once(child.stdout ? 'close' : 'exit', (code, signal) => end({ code, signal }));
  });
}

/** The exit code by which a shell tells that a program was ended by a signal. */
function exitCodeOf({ code, signal }) {
  return signal ? 128 + constants.signals[signal] : (code ?? 1);
}

module.exports = { exitCodeOf, runChild };
