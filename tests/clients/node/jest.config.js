module.exports = { preset: 'trestle-db', testMatch: ['**/jest/*.test.js'] };
