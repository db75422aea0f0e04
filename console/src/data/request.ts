// The scan and query builder's form, and the request it stands for. Pure.
import type { Space } from '../tables';
import { typedValue, type Item } from '../values';

export interface Filter { name: string; operator: string; type: string; value: string; upper: string }
export interface Form {
  mode: 'scan' | 'query'; space: string; // '' is the table, else an index
  hash: string[]; range: { operator: string; value: string; upper: string }[];
  filters: Filter[]; projection: string; descending: boolean; consistent: boolean; limit: string;
}
export const emptyForm = (): Form =>
  ({ mode: 'scan', space: '', hash: [], range: [], filters: [], projection: '', descending: false, consistent: false, limit: '100' });

export const rangeOperators: [string, string][] = [['', 'any'], ['=', '='], ['<', '<'], ['<=', '≤'], ['>', '>'], ['>=', '≥'], ['between', 'between'], ['begins_with', 'begins with']];
export const filterOperators: [string, string][] = [['=', '='], ['<>', '≠'], ['<', '<'], ['<=', '≤'], ['>', '>'], ['>=', '≥'], ['between', 'between'],
  ['begins_with', 'begins with'], ['contains', 'contains'], ['exists', 'exists'], ['missing', 'does not exist'], ['type', 'has type']];

// Names every attribute by a placeholder, since any name may be one of DynamoDB's reserved words.
class Expressions {
  names: Record<string, string> = {};
  values: Item = {};
  name(path: string): string {
    return path.split('.').map((part) => {
      const [, plain, rest] = /^([^[]*)(.*)$/.exec(part)!;
      const known = Object.keys(this.names).find((key) => this.names[key] === plain);
      const placeholder = known ?? '#' + (/^\w+$/.test(plain) ? plain : 'n' + Object.keys(this.names).length);
      this.names[placeholder] = plain;
      return placeholder + rest;
    }).join('.');
  }
  value(type: string, text: string): string {
    const placeholder = ':v' + Object.keys(this.values).length;
    this.values[placeholder] = typedValue(type, text);
    return placeholder;
  }
  compare(path: string, operator: string, type: string, value: string, upper: string): string {
    const name = this.name(path);
    switch (operator) {
      case 'exists': return `attribute_exists(${name})`;
      case 'missing': return `attribute_not_exists(${name})`;
      case 'type': this.values[':v' + Object.keys(this.values).length] = { S: type }; return `attribute_type(${name}, :v${Object.keys(this.values).length - 1})`;
      case 'between': return `${name} BETWEEN ${this.value(type, value)} AND ${this.value(type, upper)}`;
      case 'begins_with': case 'contains': return `${operator}(${name}, ${this.value(type, value)})`;
      default: return `${name} ${operator} ${this.value(type, value)}`;
    }
  }
}

export function requestOf(form: Form, tableName: string, space: Space): { operation: 'Scan' | 'Query'; input: any } {
  const expressions = new Expressions();
  const input: any = { TableName: tableName };
  if (form.space) input.IndexName = form.space;
  if (form.mode === 'query') {
    const conditions = space.hash.map((part, i) => {
      if (!form.hash[i]) throw new Error(`A query needs a value for ${part.name}.`);
      return expressions.compare(part.name, '=', part.type, form.hash[i], '');
    });
    space.range.forEach((part, i) => {
      const range = form.range[i];
      if (range?.operator) conditions.push(expressions.compare(part.name, range.operator, part.type, range.value, range.upper));
    });
    input.KeyConditionExpression = conditions.join(' AND ');
    if (form.descending) input.ScanIndexForward = false;
  }
  const filters = form.filters.filter((filter) => filter.name).map((filter) => expressions.compare(filter.name, filter.operator, filter.type, filter.value, filter.upper));
  if (filters.length) input.FilterExpression = filters.join(' AND ');
  const projection = form.projection.split(',').map((name) => name.trim()).filter(Boolean);
  if (projection.length) input.ProjectionExpression = projection.map((name) => expressions.name(name)).join(', ');
  if (Object.keys(expressions.names).length) input.ExpressionAttributeNames = expressions.names;
  if (Object.keys(expressions.values).length) input.ExpressionAttributeValues = expressions.values;
  if (form.consistent && space.kind !== 'global') input.ConsistentRead = true;
  if (Number(form.limit) > 0) input.Limit = Number(form.limit);
  input.ReturnConsumedCapacity = 'TOTAL';
  return { operation: form.mode === 'query' ? 'Query' : 'Scan', input };
}
