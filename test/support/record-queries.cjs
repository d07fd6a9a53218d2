'use strict';

/**
 * With QUERIES_FILE set to a file, appends one line of JSON per distinct query that a service sends to
 * MongoDB from this process: `{collection, operation, filter, sort, hint, projection, isLimited, isMulti,
 * isUpsert, from, example}`. Values of the filter are replaced by their kind; `from` is the source file that sends it,
 * `example` the query with values, where it is short. Jest runs this before each test file, the shared
 * stack preloads it. Queries of a test itself and of tests of libraries are left out.
 */
const { appendFileSync } = require('node:fs');
const { resolve } = require('node:path');

const root = resolve(__dirname, '../..');
const ours = /\/(libs|services|deploy|test)\/[^/]+\//;
const file = process.env.QUERIES_FILE;
const exampleBytesMax = 4_000;

/** On the driver, which the test files of a process share. */
const recorded = Symbol.for('inventory.queries-recorded');

if (file) {
  const { Connection } = require('mongodb/lib/cmap/connection');
  if (!Connection.prototype[recorded]) record(Connection.prototype);
}

function record(connection) {
  const { BSON } = require('mongodb');
  const seen = new Set();
  const { command } = connection;
  connection[recorded] = true;
  connection.command = function recordedCommand(namespace, document, ...rest) {
    for (const query of queriesOf(document)) {
      const shape = JSON.stringify({ ...query, filter: kindsOf(query.filter) });
      const from = seen.has(shape) ? null : productFile();
      if (from === null) continue;
      seen.add(shape);
      const example = BSON.EJSON.stringify(query);
      const kept = example.length <= exampleBytesMax ? { example } : {};
      const line = { ...JSON.parse(shape), from, ...kept };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    }
    return command.call(this, namespace, document, ...rest);
  };
}

/** The reads of a command: an update or a delete finds its documents as a query does. */
function queriesOf(document) {
  if (document.find) return [query('find', document.find, document.filter, document)];
  if (document.count) return [query('count', document.count, document.query, document)];
  if (document.distinct) {
    return [query('distinct', document.distinct, document.query, document)];
  }
  if (document.findAndModify) {
    return [query('findAndModify', document.findAndModify, document.query, document)];
  }
  if (document.aggregate) return [aggregation(document)];
  if (document.update) {
    return listOf(document.updates).map((one) => query('update', document.update, one.q, one));
  }
  if (document.delete) {
    return listOf(document.deletes).map((one) => query('delete', document.delete, one.q, one));
  }
  return [];
}

/** Of a bulk write the driver has a sequence of documents. */
function listOf(documents) {
  return documents.documents ?? documents;
}

function query(operation, collection, filter, { sort, hint, projection, limit, multi, upsert }) {
  const flags = { isLimited: limit > 0, isMulti: multi, isUpsert: upsert };
  const set = Object.fromEntries(Object.entries(flags).filter(([, isSet]) => isSet === true));
  const given = defined({ sort, hint, projection, ...set });
  return { collection, operation, filter: filter ?? {}, ...given };
}

/** `$match` and `$sort` at the head of a pipeline are what an index serves. */
function aggregation({ aggregate, pipeline, hint }) {
  const [first = {}, second = {}] = pipeline;
  const sort = (first.$match ? second : first).$sort;
  const limit = pipeline.findLast((stage) => stage.$limit)?.$limit;
  return query('aggregate', aggregate, first.$match, { sort, hint, limit });
}

function defined(fields) {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

/** The filter with each value replaced by its kind; lists by their length, rounded up. */
function kindsOf(filter) {
  return Object.fromEntries(
    Object.entries(filter).map(([name, condition]) => [name, kindOf(name, condition)]),
  );
}

function kindOf(name, condition) {
  if (['$or', '$and', '$nor'].includes(name)) return condition.map(kindsOf);
  if (name.startsWith('$')) return 'expression';
  if (condition instanceof RegExp) return 'regex';
  if (!isOperators(condition)) return condition === null ? 'null' : 'value';
  return Object.fromEntries(
    Object.entries(condition).map(([operator, operand]) => [
      operator,
      operandOf(operator, operand),
    ]),
  );
}

function operandOf(operator, operand) {
  if (operator === '$exists') return Boolean(operand);
  if (!Array.isArray(operand)) return operand === null ? 'null' : 'value';
  return operand.includes(null)
    ? 'list with null'
    : 10 ** Math.ceil(Math.log10(operand.length || 1));
}

function isOperators(condition) {
  if (typeof condition !== 'object' || condition === null) return false;
  const names = Object.keys(condition);
  return names.length > 0 && names.every((name) => name.startsWith('$'));
}

/** Which of our files sends it, a service's if there is one on the stack; null for a test's own. */
function productFile() {
  if (/\/libs\//.test(globalThis.expect?.getState?.().testPath)) return null;
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '');
  const files = new Error().stack.filter((name) => ours.test(name) && name !== __filename);
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const [first] = files;
  if (first === undefined || /\/test\/|\.test\.ts$|\/testkit\//.test(first)) return null;
  const file = files.find((name) => /\/services\/[^/]+\/(src|dist)\//.test(name)) ?? first;
  return file
    .slice(root.length + 1)
    .replace('/dist/', '/src/')
    .replace(/\.js$/, '.ts');
}
