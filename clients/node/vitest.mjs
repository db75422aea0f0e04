// globalSetup of vitest: one server for the run. Tests find it in the environment, or by inject('trestleEndpoint').
import { start } from './index.js';
import { optionsOf } from './options.js';

export async function setup(project) {
  const server = await start(optionsOf(project.config?.root ?? process.cwd()));
  Object.assign(process.env, server.environment);
  project.provide('trestleEndpoint', server.endpoint);
  return server.stop;
}
