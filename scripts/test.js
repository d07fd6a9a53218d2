'use strict';

/** `npm test` is all that is checked before a change lands. */
require('./verify.js');
