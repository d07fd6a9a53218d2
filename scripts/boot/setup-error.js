'use strict';

/** Something of the machine is in the way; the message says what and how to get past it. */
class SetupError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.name = 'SetupError';
    this.exitCode = exitCode;
  }
}

module.exports = { SetupError };
