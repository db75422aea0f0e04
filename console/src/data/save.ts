// An edited item as a conditional write that overwrites nobody's concurrent change. Pure.
import { same, type Item } from '../values';

// A condition may have 300 operators; each attribute takes two of them.
const comparedMax = 120;

// The UpdateItem that turns `before` into `after`, provided that the item still is `before`; null: nothing changed.
export function updateOf(tableName: string, keyNames: string[], before: Item, after: Item): any | null {
  for (const name of keyNames) {
    if (!same(before[name], after[name])) throw new Error(`${name} is part of the key, which cannot change. Duplicate the item instead.`);
  }
  const names: Record<string, string> = {}, values: Item = {};
  const nameOf = (name: string) => {
    const known = Object.keys(names).find((key) => names[key] === name) ?? '#a' + Object.keys(names).length;
    names[known] = name;
    return known;
  };
  const valueOf = (value: any) => {
    const placeholder = ':v' + Object.keys(values).length;
    values[placeholder] = value;
    return placeholder;
  };
  const set = Object.keys(after).filter((name) => !same(before[name], after[name])).map((name) => `${nameOf(name)} = ${valueOf(after[name])}`);
  const remove = Object.keys(before).filter((name) => !(name in after)).map(nameOf);
  if (!set.length && !remove.length) return null;
  const changed = new Set([...Object.keys(after), ...Object.keys(before)].filter((name) => !same(before[name], after[name])));
  const old = Object.keys(before).filter((name) => !keyNames.includes(name));
  const compared = old.length <= comparedMax ? old : old.filter((name) => changed.has(name));
  const conditions = [`attribute_exists(${nameOf(keyNames[0])})`, ...compared.map((name) => `${nameOf(name)} = ${valueOf(before[name])}`),
    ...[...changed].filter((name) => !(name in before)).map((name) => `attribute_not_exists(${nameOf(name)})`)];
  return {
    TableName: tableName,
    Key: Object.fromEntries(keyNames.map((name) => [name, before[name]])),
    UpdateExpression: [set.length && 'SET ' + set.join(', '), remove.length && 'REMOVE ' + remove.join(', ')].filter(Boolean).join(' '),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length ? { ExpressionAttributeValues: values } : {}),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ReturnConsumedCapacity: 'TOTAL',
  };
}
export function putOf(tableName: string, keyNames: string[], item: Item, mayReplace = false): any {
  return {
    TableName: tableName, Item: item, ReturnConsumedCapacity: 'TOTAL',
    ...(mayReplace ? {} : { ConditionExpression: 'attribute_not_exists(#key)', ExpressionAttributeNames: { '#key': keyNames[0] } }),
  };
}
