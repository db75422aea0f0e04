// Runs the program of this package: start() returns once the server accepts requests.
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { request } = require('node:http');
const { join } = require('node:path');

const OUTPUT_MAX = 16 * 1024;           // characters of output retained for the message of a failed start
const STOP_TIMEOUT_MS = 10_000;

// Waits on a pipe that the operating system closes when this process ends, however it ends; then stops the server. Before the
// server's process id can be used by another process, release() writes "done".
const GUARD = `trap '' INT TERM HUP; read -r line; [ "$line" = done ] || kill -TERM "$0" 2> /dev/null`;

/** The path of the program: TRESTLE_BINARY, or the one in this package. */
function program() {
  const path = process.env.TRESTLE_BINARY || join(__dirname, 'program', 'trestle');
  if (!existsSync(path)) throw new Error(`trestle: no program at ${path}; the package has one for linux-x64`);
  return path;
}

function flagsOf(options) {
  const flags = ['serve', '--port', String(options.port ?? 0)];
  if (options.data !== undefined) flags.push('--data', options.data);
  else flags.push('--memory-store');
  if (options.region !== undefined) flags.push('--region', options.region);
  for (const file of [options.tables ?? []].flat()) flags.push('--tables', file);
  for (const file of [options.seed ?? []].flat()) flags.push('--seed', file);
  return [...flags, ...(options.flags ?? [])];
}

// Resolves with the URL that the server prints once it listens.
function listening(server, timeoutMs) {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => finish(new Error(`trestle did not start within ${timeoutMs} ms:\n${output}`)), timeoutMs);
    const read = (text) => {
      output = (output + text).slice(-OUTPUT_MAX);
      const found = /serves DynamoDB's API on (https?:\/\/\S+)\n/.exec(output);
      if (found) finish(undefined, found[1]);
    };
    const ended = (code, signal) => finish(new Error(`trestle ended with ${signal ?? `status ${code}`}:\n${output}`));
    const failed = (error) => finish(new Error(`trestle cannot be run: ${error.message}`));
    function finish(error, url) {
      clearTimeout(timer);
      for (const stream of [server.stdout, server.stderr]) {
        stream.off('data', read);
        stream.resume();                // a full pipe would block the server
      }
      server.off('close', ended);       // not 'exit': the output must have been read
      server.off('error', failed);
      server.on('error', () => {});
      if (error) reject(error);
      else resolve(url);
    }
    for (const stream of [server.stdout, server.stderr]) stream.setEncoding('utf8').on('data', read);
    server.on('close', ended).on('error', failed);
  });
}

// Stops the server when this process ends without stop(). Returns a function that ends the guard instead.
function guard(server) {
  const watcher = spawn('/bin/sh', ['-c', GUARD, String(server.pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  watcher.stdin.unref();
  return () => watcher.stdin.end('done\n');
}

function reset(endpoint) {
  return new Promise((resolve, reject) => {
    const call = request(`${endpoint}/reset`, { method: 'POST', agent: false }, (reply) => {
      let body = '';
      reply.setEncoding('utf8').on('data', (text) => { body += text; }).on('error', reject);
      reply.on('end', () => (reply.statusCode === 200 ? resolve() : reject(new Error(`POST /reset: ${reply.statusCode} ${body}`))));
    });
    call.on('error', reject).end();
  });
}

/**
 * Starts a server on a free port with an empty database in memory, and resolves when it accepts requests.
 * The server stops with stop(), or when this process ends. It does not keep this process running.
 */
async function start(options = {}) {
  const server = spawn(options.program ?? program(), flagsOf(options), { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = new Promise((resolve) => server.once('exit', resolve));
  const release = server.pid === undefined ? () => {} : guard(server);
  exited.then(release);

  let stopping;
  const stop = () => {
    stopping ??= (async () => {
      if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
      server.ref();
      server.kill('SIGTERM');
      const timer = setTimeout(() => server.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    })();
    return stopping;
  };

  let endpoint;
  try {
    endpoint = await listening(server, options.timeoutMs ?? 30_000);
  } catch (error) {
    await stop();
    throw error;
  }
  for (const handle of [server, server.stdout, server.stderr]) handle.unref();

  const region = options.region ?? 'us-east-1';
  return {
    endpoint,
    port: Number(new URL(endpoint).port),
    pid: server.pid,
    clientOptions: { endpoint, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } },
    environment: {
      TRESTLE_ENDPOINT: endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
    reset: () => reset(endpoint),
    stop,
  };
}

module.exports = { start, program };
