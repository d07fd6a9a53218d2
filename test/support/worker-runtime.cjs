'use strict';

const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** What is loaded for each file: the product, and the one package with a state of the process. */
const perFile = /^@(inventory|opentelemetry)\//;

/** By the module that requires. */
const requires = new Map();

/**
 * Jest's modules, of which packages are loaded once per worker instead of once per test file, by Node
 * itself: their code stays compiled and optimized. The product's own modules and their state are
 * those of one file. It needs an environment without a context of its own
 * (`worker-environment.ts`): an error of a package is an `Error` of the test.
 */
module.exports = class WorkerRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    const { executor } = this;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, { filename });
  }

  requireModule(from, name, options, isRequireActual) {
    const isInternal = options?.isInternalModule ?? false;
    if (isInternal || !isPackage(name)) {
      return super.requireModule(from, name, options, isRequireActual);
    }
    if (!requires.has(from)) requires.set(from, createRequire(from));
    return requires.get(from)(name);
  }
};

function isPackage(name) {
  return name !== undefined && /^[@a-z]/.test(name) && !perFile.test(name) && !isBuiltin(name);
}
