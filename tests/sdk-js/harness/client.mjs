// One SDK client, and `call`: an operation by its name.
import * as sdk from '@aws-sdk/client-dynamodb';
import { credentials, endpoint, region } from './endpoint.mjs';

export const client = new sdk.DynamoDBClient({ endpoint, region, credentials, maxAttempts: 3 });

export function call(operation, input = {}) {
  const Command = sdk[`${operation}Command`];
  if (!Command) throw new Error(`the SDK has no operation ${operation}`);
  return client.send(new Command(input));
}
