// A DynamoDB request as code: AWS CLI, AWS SDK for JavaScript v3, boto3.

const kebab = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
const snake = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
const shell = (text: string) => "'" + text.replace(/'/g, "'\\''") + "'";
const isStream = (operation: string) => /^(ListStreams|DescribeStream|GetShardIterator|GetRecords)$/.test(operation);

export function cliCode(operation: string, input: any, endpoint: string): string {
  const lines = [`aws ${isStream(operation) ? 'dynamodbstreams' : 'dynamodb'} ${kebab(operation)} --endpoint-url ${endpoint}`];
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === 'boolean') lines.push((value ? '--' : '--no-') + kebab(name));
    else if (typeof value === 'object') lines.push(`--${kebab(name)} ${shell(JSON.stringify(value))}`);
    else lines.push(`--${kebab(name)} ${/^[\w./:@-]+$/.test(String(value)) ? value : shell(String(value))}`);
  }
  return lines.join(' \\\n  ');
}

function literal(value: any, python: boolean, indent = ''): string {
  const inner = indent + '  ';
  if (value === null || value === undefined) return python ? 'None' : 'null';
  if (typeof value === 'boolean') return python ? (value ? 'True' : 'False') : String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const many = Array.isArray(value);
  const parts = many ? value.map((entry) => literal(entry, python, inner))
    : Object.entries(value).map(([name, entry]) => (python || !/^[A-Za-z_]\w*$/.test(name) ? JSON.stringify(name) : name) + ': ' + literal(entry, python, inner));
  const [open, close] = many ? '[]' : '{}';
  if (!parts.length) return open + close;
  const line = open + (many ? '' : ' ') + parts.join(', ') + (many ? '' : ' ') + close;
  return line.length < 72 && !line.includes('\n') ? line : open + '\n' + parts.map((part) => inner + part).join(',\n') + '\n' + indent + close;
}
export function javascriptCode(operation: string, input: any, endpoint: string, region: string): string {
  const [client, module] = isStream(operation) ? ['DynamoDBStreamsClient', 'client-dynamodb-streams'] : ['DynamoDBClient', 'client-dynamodb'];
  return `import { ${client}, ${operation}Command } from '@aws-sdk/${module}';

const client = new ${client}({ endpoint: '${endpoint}', region: '${region}' });
const reply = await client.send(new ${operation}Command(${literal(input, false)}));`;
}
export function pythonCode(operation: string, input: any, endpoint: string, region: string): string {
  const members = Object.entries(input).map(([name, value]) => `    ${name}=${literal(value, true, '    ')},`);
  return `import boto3

client = boto3.client("${isStream(operation) ? 'dynamodbstreams' : 'dynamodb'}", endpoint_url="${endpoint}", region_name="${region}")
reply = client.${snake(operation)}(${members.length ? '\n' + members.join('\n') + '\n' : ''})`;
}
