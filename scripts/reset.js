'use strict';

/** `npm run reset`: removes the data of the local stack in this clone. */
const { resolve } = require('node:path');
const { explainFailure } = require('../deploy/local-stack/dist/explain-failure.js');
const { resetData } = require('../deploy/local-stack/dist/reset-data.js');

async function main() {
  try {
    console.log(
      await resetData(
        resolve(__dirname, '..', process.env.LOCAL_STACK_DIR || '.local'),
        process.env,
      ),
    );
  } catch (error) {
    console.error(explainFailure(error));
    process.exitCode = 1;
  }
}

void main();
