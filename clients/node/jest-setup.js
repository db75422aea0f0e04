'use strict';

const { start } = require('./index.js');
const { optionsOf } = require('./options.js');

module.exports = async function setup(globalConfig, projectConfig) {
  const server = await start(optionsOf(projectConfig?.rootDir ?? globalConfig.rootDir));
  Object.assign(process.env, server.environment);
  globalThis.__TRESTLE_SERVER__ = server;
};
