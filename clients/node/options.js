// Options of the presets: the key "trestle" of the project's package.json, in the form that start() takes.
'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const KEYS = ['port', 'data', 'region', 'tables', 'seed', 'flags', 'program', 'timeoutMs'];

function optionsOf(folder) {
  const path = join(folder, 'package.json');
  const options = (existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).trestle) || {};
  for (const key of Object.keys(options)) {
    if (!KEYS.includes(key)) throw new Error(`${path}: "trestle" has no option ${key}: ${KEYS.join(', ')}`);
  }
  return options;
}

module.exports = { optionsOf };
