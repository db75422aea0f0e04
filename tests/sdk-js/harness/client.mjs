// One client of each SDK package, and `call`, which runs an operation of either by its name.
import * as sdk from '@aws-sdk/client-dynamodb';
import * as streamsSdk from '@aws-sdk/client-dynamodb-streams';
import { credentials, endpoint, region } from './endpoint.mjs';

export const client = new sdk.DynamoDBClient({ endpoint, region, credentials, maxAttempts: 3 });

const streamsClient = new streamsSdk.DynamoDBStreamsClient({ endpoint, region, credentials, maxAttempts: 3 });

// The longest delay before a call, when cases are shaken (see cases.mjs).
export const shakeMs = Number(process.env.TRESTLE_SHAKE ?? 0);

export async function call(operation, input = {}) {
  if (shakeMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * shakeMs));
  const StreamsCommand = streamsSdk[`${operation}Command`];
  if (StreamsCommand) return streamsClient.send(new StreamsCommand(input));
  const Command = sdk[`${operation}Command`];
  if (!Command) throw new Error(`the SDK has no operation ${operation}`);
  return client.send(new Command(input));
}
