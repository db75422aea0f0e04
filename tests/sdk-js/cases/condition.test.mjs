// ConditionExpression and FilterExpression: the meaning of each operator and function, and all refusals. All cases use
// one item; a condition is tested with a write that changes nothing.
import { after, before } from 'node:test';
import { call } from '../harness/client.mjs';
import { runCases, kConditionFailed, one, refused } from '../harness/cases.mjs';
import { kHash } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const Key = { pk: S('the item of condition.test') };
const item = {
  ...Key,
  s: S('hello'),
  n: N('10'),
  m: N('10.0'),
  neg: N('-3'),
  b: { B: Uint8Array.from([1, 2, 3]) },
  t: { BOOL: true },
  f: { BOOL: false },
  nothing: { NULL: true },
  ss: { SS: ['a', 'b'] },
  ns: { NS: ['1', '2'] },
  bs: { BS: [Uint8Array.from([1])] },
  l: { L: [S('x'), N('1'), { L: [S('deep')] }] },
  doc: { M: { a: S('x'), deep: { M: { c: N('5') } }, entries: { L: [{ M: { z: S('zz') } }] } } },
  'dotted.name': S('odd'),
};

before(() => call('PutItem', { TableName: kHash, Item: item }));
after(() => call('DeleteItem', { TableName: kHash, Key }));

const values = {
  ':s': S('hello'),
  ':n': N('10'),
  ':one': N('1'),
  ':two': N('2'),
  ':five': N('5'),
  ':eleven': N('11'),
  ':he': S('he'),
  ':el': S('ell'),
  ':a': S('a'),
  ':x': S('x'),
  ':z': S('z'),
  ':t': { BOOL: true },
  ':null': { NULL: true },
  ':b': { B: Uint8Array.from([1, 2]) },
  ':b3': { B: Uint8Array.from([1, 2, 3]) },
  ':b0': { B: Uint8Array.from([2, 3]) },
  ':ba': { SS: ['b', 'a'] },
  ':ns': { NS: ['2.0', '1'] },
  ':l': { L: [S('x'), N('1.0'), { L: [S('deep')] }] },
  ':doc': { M: { c: N('5.00') } },
  ':typeS': S('S'),
  ':typeN': S('N'),
  ':typeL': S('L'),
  ':typeM': S('M'),
  ':typeB': S('B'),
  ':typeBOOL': S('BOOL'),
  ':typeNULL': S('NULL'),
  ':typeSS': S('SS'),
  ':typeNS': S('NS'),
  ':typeBS': S('BS'),
  ':inner1': { B: Uint8Array.from([1]) },
};
const names = { '#s': 's', '#dotted': 'dotted.name', '#doc': 'doc', '#a': 'a', '#absent': 'absent', '#pk': 'pk' };
const used = (all, text, mark) => {
  const wanted = new Set(text.match(new RegExp(`${mark}[A-Za-z0-9_]+`, 'g')) ?? []);
  const found = Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key)));
  return Object.keys(found).length === 0 ? undefined : found;
};

// Puts the same item with a condition, so nothing changes if the condition holds.
const attempt = (ConditionExpression) => ({
  TableName: kHash,
  Item: item,
  ConditionExpression,
  ExpressionAttributeNames: used(names, ConditionExpression, '#'),
  ExpressionAttributeValues: used(values, ConditionExpression, ':'),
});
const holds = (expression) => ({
  name: expression,
  operation: 'PutItem',
  input: attempt(expression),
  expect: { output: {} },
});
const fails = (expression) => ({
  name: expression,
  operation: 'PutItem',
  input: attempt(expression),
  expect: kConditionFailed,
});

runCases(
  'conditions that hold',
  [
    's = :s',
    ':s = s',
    's <> :a',
    'n = :n',
    'n = m',
    'm = :n',
    'n <> :one',
    'n > :two',
    'n < :eleven',
    'n >= :n',
    'n <= :n',
    'neg < :one',
    's > :a',
    's < :z',
    'b = :b3',
    'b > :b',
    'b < :b0',
    't = :t',
    'f <> :t',
    'nothing = :null',
    'ss = :ba',
    'ns = :ns',
    'l = :l',
    'doc.deep = :doc',
    's <> n',
    'absent <> :s',
    ':one < n',
    'n BETWEEN :one AND :eleven',
    'n BETWEEN :n AND :n',
    's BETWEEN :a AND :z',
    ':five BETWEEN :two AND n',
    'b BETWEEN :b AND :b0',
    's IN (:a, :s)',
    'n IN (:one, m)',
    'n IN (:n)',
    ':s IN (s)',
    'attribute_exists(s)',
    'attribute_exists(doc.a)',
    'attribute_exists(l[0])',
    'attribute_exists(l[2][0])',
    'attribute_exists(doc.entries[0].z)',
    'attribute_not_exists(absent)',
    'attribute_not_exists(doc.nope)',
    'attribute_not_exists(l[3])',
    'attribute_not_exists(s.x)',
    'attribute_not_exists(s[0])',
    'attribute_exists(#dotted)',
    'attribute_exists(#doc.#a)',
    'attribute_type(s, :typeS)',
    'attribute_type(n, :typeN)',
    'attribute_type(b, :typeB)',
    'attribute_type(t, :typeBOOL)',
    'attribute_type(nothing, :typeNULL)',
    'attribute_type(ss, :typeSS)',
    'attribute_type(ns, :typeNS)',
    'attribute_type(bs, :typeBS)',
    'attribute_type(l, :typeL)',
    'attribute_type(doc, :typeM)',
    'begins_with(s, :he)',
    'begins_with(s, :s)',
    'begins_with(b, :b)',
    'contains(s, :el)',
    'contains(ss, :a)',
    'contains(ns, :one)',
    'contains(l, :x)',
    'contains(l, :one)',
    'contains(bs, :inner1)',
    'contains(b, :b0)',
    'size(s) = :five',
    'size(ss) = :two',
    'size(l) > :two',
    'size(doc) > :two',
    'size(b) > :two',
    ':five = size(s)',
    'size(s) BETWEEN :two AND :n',
    'size(s) IN (:five)',
    'size(s) > size(ss)',
    's = :s AND n = :n',
    's = :a OR n = :n',
    'NOT s = :a',
    'NOT (s = :a OR n = :one)',
    'NOT NOT s = :s',
    's = :s OR s = :a AND n = :one',
    '(s = :a OR s = :s) AND n = :n',
    's = :s AND (n = :one OR n = :n)',
    's = :s and n = :n',
    's = :a or not n = :one',
    'n between :one and :eleven',
    's in (:s)',
    'doc.deep.c = :five',
    'l[1] = :one',
    'l[2][0] <> :a',
    'doc.entries[0].z > :z',
    '#s = :s',
    '#pk <> :s',
    's=:s AND n>=:n',
    ' s = :s ',
    's\n=\t:s',
    '(s = :s)',
  ].map(holds),
);

runCases(
  'conditions that fail',
  [
    's = :a',
    's = :n',
    's <> :s',
    'n > :n',
    'n < :one',
    's < :n',
    's >= :n',
    'absent = :s',
    'absent < :n',
    'absent = absent2',
    't < f',
    'ss = :a',
    'n BETWEEN :eleven AND m',
    'absent BETWEEN :one AND :two',
    's IN (:a, :x)',
    'absent IN (:a)',
    'attribute_exists(absent)',
    'attribute_exists(l[3])',
    'attribute_exists(doc.a.x)',
    'attribute_not_exists(s)',
    'attribute_type(s, :typeN)',
    'attribute_type(absent, :typeS)',
    'begins_with(s, :el)',
    'begins_with(n, :he)',
    'begins_with(absent, :he)',
    'contains(s, :z)',
    'contains(ss, :one)',
    'contains(n, :one)',
    'contains(absent, :a)',
    'contains(l, :z)',
    'size(absent) = :one',
    'size(n) = :one',
    'size(t) = :one',
    'NOT s = :s',
    's = :s AND n = :one',
    's = :a OR n = :one',
    'absent = :null',
    'doc.nope.c = :five',
  ].map(fails),
);

const invalid = (text) => one(`Invalid ConditionExpression: ${text}`);
const bad = (expression, message, extra = {}) => ({
  name: expression.length > 60 ? `${expression.slice(0, 60)}...` : expression || '(empty)',
  operation: 'PutItem',
  input: { ...attempt(expression), ...extra },
  expect: refused(invalid(message)),
});
const syntax = (expression, token, near) => bad(expression, `Syntax error; token: "${token}", near: "${near}"`);

runCases('conditions that do not parse', [
  bad('', 'The expression can not be empty;'),
  syntax('s = = :s', '=', '= = :s'),
  syntax('s = :s AND', '<EOF>', 'AND'),
  syntax('s = :s n = :n', 'n', ':s n ='),
  syntax('AND s = :s', 'AND', 'AND s'),
  syntax('s ==  :s', '=', '==  :s'),
  syntax('s = :s)', ')', ':s)'),
  syntax('(s = :s', '<EOF>', ':s'),
  syntax('s', '<EOF>', 's'),
  syntax('s IN ()', ')', '()'),
  syntax('l[a] = :s', 'a', '[a]'),
  syntax('l[-1] = :s', '-', '[-1'),
  syntax('s = 5', '5', '= 5'),
  syntax('s ! :s', '!', 's ! :s'),
  syntax('doc. = :s', '=', '. = :s'),
  syntax('size(s', '<EOF>', 's'),
  syntax('_id = :s', '_', '_id'),
  syntax('s-t = :s', '-', 's-t'),
  syntax('s = "x"', '"', '= "x'),
]);

runCases('conditions that parse and are refused', [
  bad('((s = :s))', 'The expression has redundant parentheses;'),
  bad('((s = :s)) AND n = :n', 'The expression has redundant parentheses;'),
  bad('nosuch(s)', 'Invalid function name; function: nosuch'),
  bad('SIZE(s) = :n', 'Invalid function name; function: SIZE'),
  bad('if_not_exists(s, :s) = :s', 'The function is not allowed in a condition expression; function: if_not_exists'),
  bad('list_append(l, :l) = :l', 'The function is not allowed in a condition expression; function: list_append'),
  bad('size(s)', 'The function is not allowed to be used this way in an expression; function: size'),
  bad('NOT size(s)', 'The function is not allowed to be used this way in an expression; function: size'),
  bad('contains(s, :s) = :t', 'The function is not allowed to be used this way in an expression; function: contains'),
  bad(
    'attribute_exists(s) = :t',
    'The function is not allowed to be used this way in an expression; function: attribute_exists',
  ),
  bad('name = :s', 'Attribute name is a reserved keyword; reserved keyword: name'),
  bad('doc.Status = :s', 'Attribute name is a reserved keyword; reserved keyword: Status'),
  bad('size(data) = :n', 'Attribute name is a reserved keyword; reserved keyword: data'),
  bad('#nope = :s', 'An expression attribute name used in the document path is not defined; attribute name: #nope'),
  bad('s = :nope', 'An expression attribute value used in expression is not defined; attribute value: :nope'),
  bad(
    'attribute_exists(s, :s)',
    'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
  ),
  bad(
    'contains(s)',
    'Incorrect number of operands for operator or function; operator or function: contains, number of operands: 1',
  ),
  bad(
    'size(s, n) = :n',
    'Incorrect number of operands for operator or function; operator or function: size, number of operands: 2',
  ),
  bad('attribute_exists(:s)', 'Operator or function requires a document path; operator or function: attribute_exists'),
  bad(
    'attribute_not_exists(:s)',
    'Operator or function requires a document path; operator or function: attribute_not_exists',
  ),
  bad(
    'begins_with(s, :n)',
    'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
  ),
  bad(
    'begins_with(:n, s)',
    'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
  ),
  bad(
    'attribute_type(s, :n)',
    'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N',
  ),
  bad(
    'attribute_type(s, n)',
    'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}',
  ),
  bad(
    'attribute_type(s, :x)',
    'Invalid attribute type name found; type: x, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}',
  ),
  bad('size(:n) = :n', 'Incorrect operand type for operator or function; operator or function: size, operand type: N'),
  bad('s < :t', 'Incorrect operand type for operator or function; operator or function: <, operand type: BOOL'),
  bad(':t >= s', 'Incorrect operand type for operator or function; operator or function: >=, operand type: BOOL'),
  bad('s > :l', 'Incorrect operand type for operator or function; operator or function: >, operand type: L'),
  bad(
    's BETWEEN :t AND :t',
    'Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: BOOL',
  ),
  bad(
    'n BETWEEN :s AND :n',
    'The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {S:hello}, upper bound operand: AttributeValue: {N:10}',
  ),
  bad(
    'n BETWEEN :eleven AND :two',
    'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:11}, upper bound operand: AttributeValue: {N:2}',
  ),
  bad(
    's = s',
    'The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [s]',
  ),
  bad(
    'contains(doc.a, doc.a)',
    'The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [doc, a]',
  ),
  bad(
    'l[0] <> l[0]',
    'The first operand must be distinct from the remaining operands for this operator or function; operator: <>, first operand: [l, [0]]',
  ),
]);

runCases('which fault of a condition is reported', [
  bad('((nosuch(name)))', 'The expression has redundant parentheses;'),
  bad('nosuch(name) AND #nope = :s', 'Invalid function name; function: nosuch'),
  bad('size(s) AND name = :s', 'The function is not allowed to be used this way in an expression; function: size'),
  bad('name = :nope', 'Attribute name is a reserved keyword; reserved keyword: name'),
  bad('#nope = :nope', 'An expression attribute name used in the document path is not defined; attribute name: #nope'),
  bad(
    'begins_with(s, :n) AND s = :nope',
    'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
  ),
  bad(
    's = :nope AND begins_with(s, :n)',
    'An expression attribute value used in expression is not defined; attribute value: :nope',
  ),
]);

const many = (count, text, joiner) => Array.from({ length: count }, () => text).join(joiner);
runCases('limits of a condition', [
  {
    name: '301 operators',
    operation: 'PutItem',
    input: attempt(many(151, 's=:s', ' OR ')),
    expect: refused(invalid('The expression contains too many operators; operator count: 301')),
  },
  { name: '299 operators', operation: 'PutItem', input: attempt(many(150, 's=:s', ' OR ')), expect: { output: {} } },
  {
    name: '101 operands of IN',
    operation: 'PutItem',
    input: attempt(`s IN (${many(101, ':s', ',')})`),
    expect: refused(/^1 validation error detected: Invalid ConditionExpression: .*operands.*101/),
  },
  {
    name: '100 operands of IN',
    operation: 'PutItem',
    input: attempt(`s IN (${many(100, ':s', ',')})`),
    expect: { output: {} },
  },
  { name: '4096 bytes', operation: 'PutItem', input: attempt(`s = :s${' '.repeat(4090)}`), expect: { output: {} } },
  {
    name: '4097 bytes',
    operation: 'PutItem',
    input: attempt(`s = :s${' '.repeat(4091)}`),
    expect: refused(invalid('Expression size has exceeded the maximum allowed size; expression size: 4097')),
  },
]);

const without = (input, ...keys) => Object.fromEntries(Object.entries(input).filter(([key]) => !keys.includes(key)));
const base = { TableName: kHash, Item: item };
runCases('placeholders', [
  {
    name: 'an unused name',
    operation: 'PutItem',
    input: { ...attempt('s = :s'), ExpressionAttributeNames: { '#unused': 'x' } },
    expect: refused(one('Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}')),
  },
  {
    name: 'an unused value',
    operation: 'PutItem',
    input: { ...attempt('s = :s'), ExpressionAttributeValues: { ':s': S('hello'), ':unused': S('x') } },
    expect: refused(one('Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}')),
  },
  {
    name: 'an unused name is reported before an unused value',
    operation: 'PutItem',
    input: {
      ...attempt('attribute_exists(s)'),
      ExpressionAttributeNames: { '#u': 'x' },
      ExpressionAttributeValues: { ':u': S('x') },
    },
    expect: refused(one('Value provided in ExpressionAttributeNames unused in expressions: keys: {#u}')),
  },
  {
    name: 'a name without #',
    operation: 'PutItem',
    input: { ...attempt('s = :s'), ExpressionAttributeNames: { s: 'x' } },
    expect: refused(one('ExpressionAttributeNames contains invalid key: Syntax error; key: "s"')),
  },
  {
    name: 'a value without :',
    operation: 'PutItem',
    input: { ...attempt('attribute_exists(s)'), ExpressionAttributeValues: { v: S('x') } },
    expect: refused(one('ExpressionAttributeValues contains invalid key: Syntax error; key: "v"')),
  },
  {
    name: 'no names in the map',
    operation: 'PutItem',
    input: { ...attempt('attribute_exists(s)'), ExpressionAttributeNames: {} },
    expect: refused(one('ExpressionAttributeNames must not be empty')),
  },
  {
    name: 'no values in the map',
    operation: 'PutItem',
    input: { ...attempt('attribute_exists(s)'), ExpressionAttributeValues: {} },
    expect: refused(one('ExpressionAttributeValues must not be empty')),
  },
  {
    name: 'names without an expression',
    operation: 'PutItem',
    input: { ...base, ExpressionAttributeNames: { '#a': 'a' } },
    expect: refused(one('ExpressionAttributeNames can only be specified when using expressions')),
  },
  {
    name: 'values without an expression',
    operation: 'PutItem',
    input: { ...base, ExpressionAttributeValues: { ':a': S('a') } },
    expect: refused(one('ExpressionAttributeValues can only be specified when using expressions')),
  },
  {
    name: 'a placeholder hides a reserved word and a dot',
    operation: 'PutItem',
    input: {
      ...without(attempt('#n = :v'), 'ExpressionAttributeValues'),
      ExpressionAttributeNames: { '#n': 'dotted.name' },
      ExpressionAttributeValues: { ':v': S('odd') },
    },
    expect: { output: {} },
  },
  {
    name: 'an undefined value of the condition beside a defined one of the update',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key,
      UpdateExpression: 'SET b = :w',
      ConditionExpression: 'a = :v',
      ExpressionAttributeValues: { ':w': S('x') },
    },
    expect: refused(invalid('An expression attribute value used in expression is not defined; attribute value: :v')),
  },
]);
