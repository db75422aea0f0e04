const {
  ConditionalCheckFailedException, CreateTableCommand, DescribeTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand,
} = require('@aws-sdk/client-dynamodb');

const client = new DynamoDBClient({});          // everything comes from the environment
const TableName = 'jest-songs';

test('an unchanged client uses the server', async () => {
  expect(process.env.TRESTLE_ENDPOINT).toBe(process.env.AWS_ENDPOINT_URL_DYNAMODB);
  await client.send(new CreateTableCommand({
    TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  }));
  const put = new PutItemCommand({
    TableName, Item: { pk: { S: 'a' }, plays: { N: '7' } }, ConditionExpression: 'attribute_not_exists(pk)',
  });
  await client.send(put);
  await expect(client.send(put)).rejects.toThrow(ConditionalCheckFailedException);
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } }));
  expect(Item).toEqual({ pk: { S: 'a' }, plays: { N: '7' } });
});

test('options come from package.json', async () => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table.TableArn).toContain(':eu-west-1:');
});
