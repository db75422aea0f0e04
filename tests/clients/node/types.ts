// Only compiled: what the package's declarations accept and reject.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { start, program, type RunningServer } from 'trestle-db';
import 'trestle-db/vitest';
import { inject } from 'vitest';

export async function use(): Promise<string> {
  const server: RunningServer = await start({ flags: ['--log', 'all'], region: 'eu-west-1' });
  const client = new DynamoDBClient(server.clientOptions);
  client.destroy();
  await server.reset();
  await server.stop();
  // @ts-expect-error: flags is a list
  await start({ flags: '--log all' });
  const endpoint: string = inject('trestleEndpoint');
  return endpoint + program();
}
