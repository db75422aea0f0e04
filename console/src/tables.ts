// The tables of the server: their names and descriptions, read when first needed and again after a change.
import { signal } from '@preact/signals';
import { call, everyPage } from './dynamo';
import type { Item } from './values';

export interface KeyPart { name: string; type: string }
export interface Space { name: string; index?: string; kind: 'table' | 'global' | 'local'; hash: KeyPart[]; range: KeyPart[]; description: any }

export const tableNames = signal<string[] | null>(null);
export const descriptions = signal<Record<string, any>>({});

export async function loadTables(): Promise<void> {
  const names = await everyPage('ListTables', {}, 'LastEvaluatedTableName', 'ExclusiveStartTableName', 'TableNames');
  tableNames.value = names;
  const found: Record<string, any> = {};
  await Promise.all(names.slice(0, 200).map(async (name) => {
    try { found[name] = (await call('DescribeTable', { TableName: name }, { quiet: true })).Table; } catch { /* deleted meanwhile, or not allowed */ }
  }));
  descriptions.value = found;
}
export async function loadTable(name: string, quiet = true): Promise<any> {
  const table = (await call('DescribeTable', { TableName: name }, { quiet })).Table;
  descriptions.value = { ...descriptions.value, [name]: table };
  return table;
}

function keyParts(table: any, schema: any[]): { hash: KeyPart[]; range: KeyPart[] } {
  const part = (kind: string) => schema.filter((part) => part.KeyType === kind).map((part) => ({
    name: part.AttributeName,
    type: table.AttributeDefinitions.find((each: any) => each.AttributeName === part.AttributeName)?.AttributeType ?? 'S',
  }));
  return { hash: part('HASH'), range: part('RANGE') };
}
// The table and each of its indexes, as places that can be queried.
export function spacesOf(table: any): Space[] {
  const space = (kind: Space['kind']) => (index: any): Space =>
    ({ name: index.IndexName, index: index.IndexName, kind, description: index, ...keyParts(table, index.KeySchema) });
  return [
    { name: table.TableName, kind: 'table', description: table, ...keyParts(table, table.KeySchema) },
    ...(table.GlobalSecondaryIndexes ?? []).filter((index: any) => index.KeySchema).map(space('global')),
    ...(table.LocalSecondaryIndexes ?? []).map(space('local')),
  ];
}
export function keyOf(table: any, item: Item): Item {
  return Object.fromEntries(table.KeySchema.map((part: any) => [part.AttributeName, item[part.AttributeName]]));
}
export const keyText = (table: any, item: Item) => JSON.stringify(keyOf(table, item));
