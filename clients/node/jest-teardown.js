'use strict';

module.exports = async function teardown() {
  await globalThis.__TRESTLE_SERVER__?.stop();
};
