// preset: 'trestle-db' in jest's configuration: one server for the run. Tests find it in the environment.
'use strict';

module.exports = {
  globalSetup: require.resolve('./jest-setup.js'),
  globalTeardown: require.resolve('./jest-teardown.js'),
};
