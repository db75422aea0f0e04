// PartiQL: ExecuteStatement, BatchExecuteStatement and ExecuteTransaction. The meaning of statements, how they find
// their items, and all refusals.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { runCases, expectError, kConditionFailed, kInvalid, kNoTable, refused } from '../harness/cases.mjs';
import { absent, assertMatches, exact, unordered } from '../harness/match.mjs';
import { createTable, deleteTable } from '../harness/lifecycle.mjs';
import { index, kAbsent, kAll, kHash, kIndexed, kNumberHash, kPair, name, table } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: String(value) });
const L = (...values) => ({ L: values });
const M = (value) => ({ M: value });
const kMalformed = "Statement wasn't well formed, can't be processed: ";
const malformed = (detail) => refused(kMalformed + detail);
const kLeftover = malformed('Unexpected token after expression');
const kNoKey = refused('Where clause does not contain a mandatory equality on all key attributes');
const kOverlap = refused('Overlapping conditions with range keys are not supported in where clause');
const H = `"${kHash}"`;
const P = `"${kPair}"`;
const X = `"${kIndexed}"`;

// A case of ExecuteStatement. `items` are those of the reply, in any order; otherwise `expected` is an error.
const says = (Statement, expected, Parameters, more = {}) => ({
  name: `${Statement.replaceAll(/"sdkjs-[a-z0-9-]+?-([a-z-]+)"/g, '$1')}${Parameters ? ` ${JSON.stringify(Parameters)}` : ''}${Object.keys(more).join()}`,
  operation: 'ExecuteStatement',
  input: { Statement, ...(Parameters && { Parameters }), ...more },
  expect: Array.isArray(expected) ? { output: { Items: unordered(expected) } } : expected,
});
const stored = (TableName, Key, expected) => ['GetItem', { TableName, Key }, { Item: expected }];
const put = (TableName, Item) => ['PutItem', { TableName, Item }];
// The position of a token in a statement, in the format of messages.
const at = (statement, token, from = 0) => `1:${statement.indexOf(token, from) + 1}:${token.length}`;

// ---- The meaning of WHERE clauses, tested on one item.

const item = {
  pk: S('pq item'),
  s: S('str'),
  n: N(10),
  yes: { BOOL: true },
  nul: { NULL: true },
  ss: { SS: ['a', 'b', 'c'] },
  l: L(S('a'), S('b')),
  m: M({ sub: S('x'), k: L(S('c'), S('d')), 'dotted.name': N(1) }),
  b: { B: Uint8Array.from([1, 2, 3]) },
  "it's": S("it's"),
  'a"b': S('quoted'),
  year: N(2000),
};
const where = (condition) => `SELECT pk FROM ${H} WHERE pk = 'pq item' AND ${condition}`;

before(async () => {
  await call('PutItem', { TableName: kHash, Item: item });
  for (const pk of ['pq o', 'pq p'])
    for (const sk of ['1', '2', '3'])
      await call('PutItem', { TableName: kPair, Item: { pk: S(pk), sk: S(sk), f: N(sk) } });
  for (const [sk, gh, gr, data] of [['1', 'pq x', 1, 'd1'], ['2', 'pq z', 2, 'd2'], ['3', 'pq x', 3, 'd3'], ['4']])
    await call('PutItem', {
      TableName: kIndexed,
      Item: {
        pk: S('pq i'),
        sk: S(sk),
        hidden: S(`h${sk}`),
        ...(gh && { gh: S(gh), gr: N(gr), lr: S(sk), data: S(data) }),
      },
    });
});
after(async () => {
  await call('DeleteItem', { TableName: kHash, Key: { pk: item.pk } });
  for (const pk of ['pq o', 'pq p'])
    for (const sk of ['1', '2', '3']) await call('DeleteItem', { TableName: kPair, Key: { pk: S(pk), sk: S(sk) } });
  for (const sk of ['1', '2', '3', '4'])
    await call('DeleteItem', { TableName: kIndexed, Key: { pk: S('pq i'), sk: S(sk) } });
});

const found = [{ pk: item.pk }];
runCases('a condition that holds', [
  ...[
    "s = 'str'",
    "'str' = s",
    "s <> 'x'",
    "s != 'x'",
    'n > 9',
    'n >= 10',
    'n < 1e2',
    'n <= .1e2',
    'n = 10.0',
    'n > -5',
    'n = - - 10',
    'n BETWEEN 1 AND +10',
    'n NOT BETWEEN 1 AND 9',
    'n IN [1, 10]',
    "s IN ('x', 'str')",
    's NOT IN [1, 2]',
    'NOT n = 9',
    'not (n = 9 or n = 8)',
    "(n = 10 OR s = 'x')",
    "s = 'x' OR n = 10 AND s = 'str'",
    'nul = NULL',
    'nul IS NULL',
    's IS NOT NULL',
    'absent IS NOT NULL',
    'absent IS MISSING',
    's IS NOT MISSING',
    's IS STRING',
    'yes IS BOOL',
    'n IS INT',
    'n IS DECIMAL',
    'l IS LIST',
    'm IS STRUCT',
    'ss IS BAG',
    'b IS BLOB',
    'n IS DOUBLE PRECISION',
    'yes = true',
    'yes <> FALSE',
    "begins_with(s, 'st')",
    'BEGINS_WITH("s", \'st\')',
    "contains(ss, 'a')",
    "contains(s, 'tr')",
    "attribute_type(ss, 'SS')",
    'size(s) = 3',
    'size(ss) > 2',
    'attribute_exists(m.sub)',
    'ATTRIBUTE_NOT_EXISTS (absent)',
    'attribute_exists(l[1])',
    'NOT attribute_exists(l[2])',
    "m.sub = 'x'",
    "m['sub'] = 'x'",
    "m.k[1] = 'd'",
    'm."dotted.name" = 1',
    "l = ['a', 'b']",
    "ss = <<'c', 'a', 'b'>>",
    "\"it's\" = 'it''s'",
    '"a""b" = \'quoted\'',
    'year = 2000',
    'absent <> 1',
    "m = {'sub': 'x', 'k': ['c', 'd'], 'dotted.name': 1}",
    // A condition is a value too.
    'attribute_exists(s) = true',
    'attribute_exists(absent) = false',
    'true = attribute_exists(s)',
    'attribute_exists(n) <> 1',
    "contains(absent, 'z') = false",
    '(n BETWEEN 0 AND 50) = true',
    "(n = 5 OR s = 'x') = false",
    'attribute_exists(absent) IN [true, false]',
    'attribute_exists(n) = attribute_exists(s)',
    'attribute_exists(n) = yes',
  ].map((condition) => says(where(condition), found)),
  says(where('ss = ?'), found, [{ SS: ['b', 'c', 'a'] }]),
  says(where('b < ?'), found, [{ B: Uint8Array.from([1, 2, 4]) }]),
  says(where('n IN [?, 2]'), found, [N(10)]),
  says(where('n IN ?'), found, [L(N(9), N(10))]),
  says(where("s = 'str'; -- done"), found),
  says(`SELECT/**/pk FROM ${H} -- the table\nWHERE pk/* key */= 'pq item'`, found),
  says(`select pk from ${H} where pk = ? and n > ?`, found, [S('pq item'), N(1)]),
]);
runCases('a condition that does not hold', [
  ...[
    "s = 'x'",
    'n < 10',
    's < 5',
    'absent = 1',
    'absent < 1',
    'absent IS NULL',
    's IS NULL',
    's IS BOOL',
    's IS MISSING',
    "l = ['b', 'a']",
    'attribute_exists(n) = 1',
    'NOT attribute_exists(n) = true',
    '(attribute_exists(n) = true) = false',
    'attribute_exists(n) = s',
    'attribute_exists(n) IN [1]',
    'x.y = 1',
    's IS TIMESTAMP',
  ].map((condition) => says(where(condition), [])),
]);

const operand = (operator, type) =>
  refused(`Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`);
runCases('a condition refused', [
  ...['<', '<=', '>', '>='].map((operator) =>
    says(where(`s ${operator} ?`), operand(operator, 'BOOL'), [{ BOOL: true }]),
  ),
  says(where('s < NULL'), operand('<', 'NULL')),
  says(where("s < <<'a'>>"), operand('<', 'SS')),
  says(where('s BETWEEN true AND false'), operand('BETWEEN', 'BOOL')),
  says(where('attribute_exists(n) > false'), operand('>', 'BOOL')),
  says(where('attribute_type(s, 1)'), operand('attribute_type', 'N')),
  says(
    where("attribute_exists('s')"),
    refused('Operator or function requires a document path; operator or function: attribute_exists'),
  ),
  says(
    where('attribute_exists()'),
    refused(
      'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 0',
    ),
  ),
  says(
    where('attribute_exists(s, n)'),
    refused(
      'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
    ),
  ),
  ...[
    'EXISTS(s)',
    `EXISTS(SELECT * FROM ${H} WHERE pk = 'x')`,
    "set_add(ss, <<'x'>>) = ss",
    'list_append(l, l) = l',
    'nothing(s)',
  ].map((condition) => {
    const call_ = condition.slice(0, condition.indexOf('('));
    return says(
      where(condition),
      refused(`Unrecognized function: ${call_.toLowerCase()} at ${at(where(condition), call_)}`),
    );
  }),
  says(
    where('n IN [' + Array.from({ length: 101 }, (_, i) => i).join() + ']'),
    refused('The IN operator is provided with too many operands; number of operands: 101'),
  ),
  says(where("ss = <<'a', 'a'>>"), refused(`${kInvalid}Input collection [a, a] contains duplicates.`)),
  says(where('n = ?'), refused("Number of parameters in request and statement don't match.")),
  says(where('n > -n'), { error: 'ValidationException' }),
  says(where('n + 1 > 2'), { error: 'ValidationException' }),
  says(where("s LIKE 's%'"), { error: 'ValidationException' }),
  says(where('yes'), { error: 'ValidationException' }),
]);

// ---- Syntax.

runCases('a statement that is not well formed', [
  ...[
    `SELECT * FROM ${H} WHERE pk = 'x' foo`,
    `SELECT * FROM ${H} WHERE pk = 1 e5`,
    `INSERT INTO ${H} VALUE {'pk': 'pq never'} foo`,
    `UPDATE ${H} SET a = 9 WHERE pk = 'x' foo`,
    `DELETE FROM ${H} WHERE pk = 'x' foo`,
    `SELECT * FROM ${H} WHERE pk = 'x')`,
    `DELETE FROM ${H} WHERE pk = 'x' ORDER BY pk`,
    `SELECT * FROM ${H} ORDER BY pk WHERE pk = 'x'`,
    `INSERT INTO ${H} t VALUE {'pk': 'x'}`,
    `FROM ${H} SET c = 1 WHERE pk = 'x'`,
    `SELECTT * FROMM ${H}`,
    `SELECT * FROM ${H}; SELECT * FROM ${H}`,
  ].map((statement) => says(statement, kLeftover)),
  ...[
    `SELECT * FROM ${H} WHERE pk = 1e2147483648`,
    `SELECT * FROM ${H} WHERE pk = 1e99999999999`,
    `SELECT * FROM ${H} WHERE pk = 1.5e-2147483647`,
    `SELECT * FROM ${H} WHERE pk = 1 # note`,
    `SELECT * FROM ${H} WHERE pk = 1 /* note`,
    `SELECT * FROM ${H} WHERE pk = 'open`,
    `SELECT * FROM "open`,
  ].map((statement) => says(statement, malformed(''))),
  ...[
    `SELECT * FROM ${H} WHERE`,
    `SELECT * FROM ${H} WHERE;`,
    `SELECT * FROM ${H} WHERE   `,
    `UPDATE ${H} SET a = 1 WHERE`,
    `DELETE FROM ${H} WHERE`,
    `SELECT * FROM ${H} WHERE NOT`,
    `SELECT * FROM ${H} WHERE (`,
    `SELECT * FROM "${kAbsent}" WHERE`,
    'SELECT * FROM',
  ].map((statement) => says(statement, malformed('Unexpected term'))),
  ...[
    `SELECT * FROM ${H} WHERE pk = 'x' AND`,
    `SELECT * FROM ${H} WHERE pk = 'x' OR`,
    `SELECT * FROM ${H} WHERE pk =`,
  ].map((statement) => says(statement, malformed('Missing right-hand side expression of infix operator'))),
  ...[
    `SELECT * FROM ${H} WHERE ORDER BY pk`,
    `SELECT * FROM ${H} WHERE key = 1`,
    `INSERT INTO ${H} (key, n) VALUES (1, 2)`,
  ].map((statement) => says(statement, malformed('Unexpected keyword'))),
  ...[`SELECT * FROM ${H} WHERE IS NULL`, `SELECT * FROM ${H} WHERE pk = LIKE`].map((statement) =>
    says(statement, malformed('Unexpected operator')),
  ),
  ...['DELETE FROM', 'DELETE FROM;', "DELETE FROM WHERE pk = 'a'", `UPDATE ${H} SET key = 1 WHERE pk = 'x'`].map(
    (statement) => says(statement, malformed('Expected identifier for simple path')),
  ),
  ...[`SLECT * FROM ${H} WHERE pk = 'x'`, `UPDATE ${H} WHERE pk = 'x'`, `UPDATE a-b SET c = 1 WHERE pk = 'x'`].map(
    (statement) => says(statement, malformed('Expected data manipulation')),
  ),
  says(where('x IS FOO'), malformed('Expected type name')),
  says(where('attribute_exists(m.inner)'), malformed('Invalid path dot component')),
  ...['INT4', 'INT8', 'DOUBLE PRECISION', 'CHARACTER VARYING'].map((type) =>
    says(`x IS ${type}`, refused('Unsupported operation: IsType')),
  ),
  says(`SELECT * FROM ${H} WHERE ${'('.repeat(4000)}`, malformed('')),
  says(`SELECT * FROM ${H} WHERE ${'NOT '.repeat(1500)}`, malformed('')),
  says(`SELECT * FROM ${H} WHERE pk = ${'['.repeat(4000)}`, malformed('')),
]);
runCases('a statement that DynamoDB does not run', [
  ...[
    `SELECT * FROM ${H} t WHERE pk = 'x'`,
    `SELECT * FROM ${H} AS t WHERE pk = 'x'`,
    `UPDATE ${H} t SET a = 3 WHERE pk = 'x'`,
    `DELETE FROM ${H} t WHERE pk = 'x'`,
    `SELECT s AS t FROM ${H} WHERE pk = 'x'`,
  ].map((statement) => says(statement, refused('Aliasing is not supported'))),
  says(`SELECT * FROM ${H} WHERE pk = 'x' LIMIT 1`, refused('Unsupported clause: LIMIT')),
  says(
    `SELECT *, s FROM ${H} WHERE pk = 'x'`,
    refused("Other attributes should not be present in the projection when '*' is used."),
  ),
  says(`SELECT m.k, k FROM ${H} WHERE pk = 'x'`, refused('Duplicate identifiers in select clause: k')),
  says(`SELECT attribute_exists(s) FROM ${H}`, refused('Unexpected path component at 1:8:16')),
  says(
    `SELECT l[-1] FROM ${H} WHERE pk = 'x'`,
    refused('List index is not within the allowable range; index: [-1] at 1:11:1'),
  ),
  says(
    `SELECT * FROM ${H}."a"."b" WHERE pk = 'p'`,
    refused('A path may contain at most 2 components in the FROM clause'),
  ),
  says(`SELECT * FROM ${H}."" WHERE pk = 'p'`, refused('Path component cannot be an empty string')),
  says(`SELECT * FROM ${H}."none" WHERE pk = 'p'`, refused('The table does not have the specified index')),
  says(
    `INSERT INTO ${X}."gsi-all" VALUE {'pk': 'w', 'sk': 'w'}`,
    refused('FROM clause may only contain a single table name in data manipulation statements'),
  ),
  says(
    `UPDATE ${X}."gsi-all" SET a = 1 WHERE pk = 'p' AND sk = 's'`,
    refused('This operation is not supported on an index'),
  ),
  says(
    `DELETE FROM ${X}."gsi-all" WHERE pk = 'p' AND sk = 's'`,
    refused('This operation is not supported on an index'),
  ),
  says(`SELECT * FROM "${kAbsent}" WHERE pk = 'x'`, kNoTable),
  says(`FROM "${kAbsent}" WHERE pk = 'x' SET c = 1`, kNoTable),
  says(
    `EXISTS(SELECT * FROM ${H} WHERE pk = 'x' AND n = 1)`,
    refused('EXISTS can only be used in ExecuteTransaction write requests.'),
  ),
  ...['MODIFIED OLD', 'ALL NEW', 'MODIFIED NEW'].map((what) =>
    says(
      `DELETE FROM ${H} WHERE pk = 'x' RETURNING ${what} *`,
      refused(
        `Invalid returning clause: RETURNING ${what} *. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
      ),
    ),
  ),
]);

// ---- Literals and parameters.

const kOverflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const kUnderflow = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const inserted = (literal) => `INSERT INTO ${H} VALUE {'pk': 'pq never', 'a': ${literal}}`;
const kTooDeep = 'Nesting Levels have exceeded supported limits';
runCases('a literal refused', [
  says(`SELECT * FROM "${kNumberHash}" WHERE pk = 1e126`, refused(`${kOverflow} under root`)),
  says(`SELECT * FROM "${kNumberHash}" WHERE pk = 1e-131`, refused(`${kUnderflow} under root`)),
  says(
    inserted('123456789012345678901234567890123456789'),
    refused('Attempting to store more than 38 significant digits in a Number under root'),
  ),
  says(inserted("{'x': 1e126}"), refused(`${kOverflow} under root.x`)),
  says(inserted('[1, 1e126]'), refused(`${kOverflow} under root[1]`)),
  says(inserted('<<>>'), refused('Empty bags are not supported')),
  says(
    inserted("<<1, 'a'>>"),
    refused('Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags'),
  ),
  says(inserted("<<'a', 'a'>>"), refused(`${kInvalid}Input collection [a, a] contains duplicates.`)),
  says(inserted('<<2, 2.0>>'), refused(`${kInvalid}Input collection [2, 2.0] contains duplicates! under root`)),
  says(
    inserted("set_add(<<'a'>>, <<'b'>>)"),
    refused(`Unsupported data type: set_add under key root at ${at(inserted('set_add'), 'set_add')}`),
  ),
  says(
    inserted("{'k': ?}"),
    refused(`Unsupported data type: Parameter under key root.k at ${at(inserted("{'k': ?}"), '?')}`),
    [S('v')],
  ),
  says(inserted('[?]'), refused(`Unsupported data type: Parameter under key root[0] at ${at(inserted('[?]'), '?')}`), [
    S('v'),
  ]),
  says(inserted("{'a':".repeat(32) + '1' + '}'.repeat(32)), refused(`${kTooDeep} under root${'.a'.repeat(32)}`)),
  says(inserted('['.repeat(32) + '1' + ']'.repeat(32)), refused(`${kTooDeep} under root${'[0]'.repeat(32)}`)),
]);
const kNotNumeric = 'The parameter cannot be converted to a numeric value';
runCases('a parameter refused', [
  ...['1e99999999999', '1e2147483648', 'abc'].map((number) =>
    says(where('n = ?'), refused(`${kNotNumeric}: ${number}`), [N(number)]),
  ),
  says(where('n = ?'), refused(kNotNumeric), [N('')]),
  says(where('n = ?'), refused(kUnderflow), [N('1e2147483647')]),
  says(where('n = ?'), refused(`${kNotNumeric}: abc`), [L(N(1), N('abc'))]),
  says(where('n = ?'), refused(`${kInvalid}Input collection [a, a] contains duplicates.`), [{ SS: ['a', 'a'] }]),
  says(`UPDATE ${H} SET WHERE`, refused(`${kInvalid}An string set  may not be empty`), [{ SS: [] }]),
  says(
    where('n = 1'),
    refused(
      "1 validation error detected: Value '[]' at 'parameters' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ),
    [],
  ),
  {
    ...says('', []),
    name: 'an empty statement',
    expect: refused(
      "1 validation error detected: Value '' at 'statement' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ),
  },
  says(
    where('n = 1'),
    refused(
      "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    ),
    undefined,
    { Limit: 0 },
  ),
  says(
    where(`n = '${'x'.repeat(8192)}'`),
    refused(/at 'statement' failed to satisfy constraint: Member must have length less than or equal to 8192$/),
  ),
]);

// ---- Columns.

runCases('columns', [
  says(`SELECT * FROM ${H} WHERE pk = 'pq item'`, [item]),
  says(`SELECT m.sub, s FROM ${H} WHERE pk = 'pq item'`, [{ sub: S('x'), s: S('str') }]),
  says(`SELECT m.k[1], l[0], m['sub'] FROM ${H} WHERE pk = 'pq item'`, [
    { 'k[1]': S('d'), 'l[0]': S('a'), sub: S('x') },
  ]),
  says(`SELECT l[-0], m."dotted.name" FROM ${H} WHERE pk = 'pq item'`, [{ 'l[0]': S('a'), 'dotted.name': N(1) }]),
  says(`SELECT absent FROM ${H} WHERE pk = 'pq item'`, [{}]),
  says(`SELECT absent, s FROM ${H} WHERE pk = 'pq item' AND n = 10`, [{ s: S('str') }]),
  says(`SELECT pk FROM ${H} WHERE pk = 'pq none'`, []),
  says(
    `SELECT pk.a FROM ${H} WHERE pk = 'x'`,
    refused("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk"),
  ),
]);

// ---- How a SELECT finds its items, and in what order.

const rows = (...names) => names.map((one) => ({ pk: S(`pq ${one[0]}`), sk: S(one[1]) }));
const inOrder = (Statement, ...names) => ({
  ...says(Statement, []),
  expect: { output: { Items: exact(rows(...names)), NextToken: absent } },
});
const pairs = (condition) => `SELECT pk, sk FROM ${P} WHERE ${condition}`;
runCases('keys', [
  inOrder(pairs("pk = 'pq o'"), 'o1', 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' AND sk > '1'"), 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' AND '1' < sk"), 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' AND sk BETWEEN '1' AND '2'"), 'o1', 'o2'),
  inOrder(pairs("pk = 'pq o' AND begins_with(sk, '3')"), 'o3'),
  inOrder(pairs("pk = 'pq o' AND sk = '2'"), 'o2'),
  inOrder(pairs("pk = 'pq o' AND sk IN ['3', '1']"), 'o1', 'o3'),
  inOrder(pairs("pk = 'pq o' AND (sk = '1' OR sk = '3')"), 'o1', 'o3'),
  inOrder(pairs("pk = 'pq o' AND (sk < '2' OR sk > '2' OR sk = '2')"), 'o1', 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' AND sk > '0' AND sk <> '1'"), 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' AND sk = '1' AND sk > '0'"), 'o1'),
  inOrder(pairs("pk = 'pq o' AND f > 1"), 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' AND (f = 1 OR f = 3)"), 'o1', 'o3'),
  inOrder(pairs("pk = 'pq o' AND sk = '1' OR pk = 'pq p' AND sk = '2' AND f = 9"), 'o1'),
  inOrder(pairs("pk = 'pq o' AND NOT sk = '1' OR pk = 'pq o' AND sk = '2'"), 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' OR pk = 'pq o' AND NOT sk = '1'"), 'o1', 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' AND pk = 'pq o' AND sk = '1'"), 'o1'),
  says(pairs("pk = 'pq o' AND pk = 'pq p'"), []),
  says(pairs("pk IN ['pq o', 'pq p'] AND sk = '1'"), rows('o1', 'p1')),
  says(pairs("begins_with(pk, 'pq ') AND sk = '1'"), rows('o1', 'p1')),
  says(pairs('pk > 1'), []),
  inOrder(pairs("pk = 'pq o' ORDER BY sk DESC"), 'o3', 'o2', 'o1'),
  inOrder(pairs("pk = 'pq o' ORDER BY sk ASC"), 'o1', 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' ORDER BY sk"), 'o1', 'o2', 'o3'),
  inOrder(pairs("pk = 'pq o' ORDER BY pk ASC"), 'o3', 'o2', 'o1'),
  inOrder(pairs("pk IN ['pq o', 'pq p'] ORDER BY pk DESC, sk ASC"), 'p1', 'p2', 'p3', 'o1', 'o2', 'o3'),
  inOrder(pairs("pk IN ['pq p', 'pq o'] ORDER BY pk, sk"), 'o1', 'o2', 'o3', 'p1', 'p2', 'p3'),
]);
const many = (count) => Array.from({ length: count }, (_, i) => `'v${i}'`).join();
const kTooManyReads = refused('Too many decomposed read operations for a given query.');
const kWrongType = (key) =>
  refused(`Key attribute's data type should match its data type in table's schema: Key ${key}`);
runCases('keys refused', [
  ...[
    "pk IN ['a', 'a']",
    "pk = 'a' OR pk = 'a'",
    "pk = 'a' AND (sk > '0' OR sk < '5')",
    "pk = 'a' AND (sk = '1' OR f = 2)",
    "(pk = 'a' AND f = 1) OR (pk = 'a' AND f = 2)",
    "pk = 'a' AND f = 1 OR pk = 'a' AND sk = '2'",
  ].map((condition) => says(pairs(condition), kOverlap)),
  says(pairs('pk = 1'), kWrongType('pk')),
  says(pairs("pk = 1 OR pk = 'a'"), kWrongType('pk')),
  says(pairs("pk = 'a' AND sk IN ['1', 2]"), kWrongType('sk')),
  says(pairs('pk = true'), refused('Key value must be of type S, N, or B. Key name: pk, Key type: BOOL')),
  says(pairs(`pk IN [${many(51)}]`), kTooManyReads),
  says(pairs(`pk = 'a' AND sk IN [${many(51)}]`), kTooManyReads),
  says(pairs(`pk IN [${many(26)}] AND sk IN ['1', '2']`), kTooManyReads),
  says(pairs(`pk IN [${many(50)}] AND f IN [${many(100)}]`), []),
  says(pairs(`pk IN [${many(51)}] OR f = 99`), []),
  says(
    `SELECT sk FROM ${P} ORDER BY sk`,
    refused('Must have WHERE clause in the statement when using ORDER BY clause.'),
  ),
  says(pairs("pk = 'a' ORDER BY f DESC"), refused('Attribute f in ORDER BY clause must be part of the primary key')),
  says(
    pairs("pk > 'a' ORDER BY sk"),
    refused('Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.'),
  ),
  says(
    pairs("pk IN ['a', 'b'] ORDER BY sk DESC"),
    refused('Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.'),
  ),
]);

// ---- Indexes.

const sks = (...all) => all.map((sk) => ({ sk: S(sk) }));
const notProjected = (which, names) =>
  refused(`${kInvalid}Secondary index ${which} does not project one or more filter attributes: [${names}]`);
const through = (which, condition, column = 'sk') => `SELECT ${column} FROM ${X}."${which}" WHERE ${condition}`;
runCases('indexes', [
  says(through('gsi-all', "gh = 'pq x'"), sks('1', '3')),
  says(through('gsi-all', "gh = 'pq x' AND gr > 1"), sks('3')),
  says(through('gsi-all', "gh = 'pq x' ORDER BY gr DESC"), sks('3', '1')),
  says(through('gsi-all', "pk = 'pq i' AND hidden = 'h1'"), sks('1')),
  says(through('gsi-keys', "gh = 'pq z'", '*'), [{ pk: S('pq i'), sk: S('2'), gh: S('pq z') }]),
  says(through('lsi-all', "pk = 'pq i' AND lr = '2'"), sks('2'), undefined, { ConsistentRead: true }),
  says(through('lsi-keys', "pk = 'pq i' AND gr = 2", 'hidden'), [{ hidden: S('h2') }]),
  says(through('gsi-include', "gh = 'pq x' AND data = 'd3'"), sks('3')),
  says(through('gsi-include', "hidden = 'h1'"), []),
  says(through('gsi-keys', "pk = 'pq i' AND NOT hidden = 'h1'"), sks('1', '2', '3')),
  says(through('gsi-include', "(gh = 'pq x' AND hidden = 'h1') OR gh = 'pq z' AND data = 'd2'"), { output: {} }),
  says(through('gsi-include', "gh = 'pq x' AND hidden = 'h1'"), notProjected('gsi-include', 'hidden')),
  says(through('gsi-include', "gh IN ['pq x', 'pq z'] AND hidden = 'h1'"), notProjected('gsi-include', 'hidden')),
  says(through('lsi-keys', "pk = 'pq i' AND hidden IS MISSING"), notProjected('lsi-keys', 'hidden')),
  says(through('gsi-include', "gh = 'a' AND b = 1 AND (a = 2 OR data = 'x')"), notProjected('gsi-include', 'a, b')),
  says(through('gsi-include', "gh = 'a' AND (zz = 1 OR aa = 2 OR mm = 3)"), notProjected('gsi-include', 'zz, aa, mm')),
  says(
    through('gsi-include', "gh = 'a'", 'zz, hidden'),
    refused(`${kInvalid}Global secondary index gsi-include does not project [zz, hidden]`),
  ),
  says(
    `SELECT hidden FROM ${X}."gsi-include"`,
    refused(`${kInvalid}Global secondary index gsi-include does not project [hidden]`),
  ),
  says(
    through('gsi-all', "gh = 'a'"),
    refused('Strongly consistent read is not supported on Global Secondary Indexes'),
    undefined,
    { ConsistentRead: true },
  ),
]);

// ---- Writes.

const H_ = (pk) => ({ pk: S(pk) });
const write = (pk, Statement, before_, expect, after_, more = {}) => ({
  name: `${pk}: ${Statement(pk).replaceAll(H, 'hash')}`,
  operation: 'ExecuteStatement',
  before: before_ ? [put(kHash, { ...H_(pk), ...before_ })] : [['DeleteItem', { TableName: kHash, Key: H_(pk) }]],
  input: { Statement: Statement(pk), ...more },
  expect,
  after:
    after_ === undefined ? [] : [stored(kHash, H_(pk), after_ === absent ? absent : exact({ ...H_(pk), ...after_ }))],
});
const set =
  (changes, rest = '') =>
  (pk) =>
    `UPDATE ${H} ${changes} WHERE pk = '${pk}'${rest}`;
const kEmpty = { output: { Items: exact([]) } };
const wrote = (id, changes, old, now) => write(`pq w${id}`, set(changes), old, kEmpty, now);
const doc = { n: N(5), l: L(N(1), N(2)), m: M({ a: N(1), b: N(2) }), ss: { SS: ['a', 'b'] }, ns: { NS: ['1'] } };
runCases('INSERT', [
  write(
    'pq i1',
    (pk) =>
      `INSERT INTO ${H} VALUE {'pk': '${pk}', 'a': [1, {'b': null}], 'c': <<1, 2.50>>, 'd': true, 'e': -0, 'f': 1E3}`,
    undefined,
    kEmpty,
    { a: L(N(1), M({ b: { NULL: true } })), c: { NS: ['1', '2.5'] }, d: { BOOL: true }, e: N(0), f: N(1000) },
  ),
  write(
    'pq i2',
    (pk) => `insert into ${H} value {'pk': ?, 'x': ?}; -- ${pk}`,
    undefined,
    kEmpty,
    { x: { BS: [Uint8Array.from([1])] } },
    { Parameters: [S('pq i2'), { BS: [Uint8Array.from([1])] }] },
  ),
  write(
    'pq i3',
    (pk) => `INSERT INTO ${H} VALUE {'pk': '${pk}', 'new': 1}`,
    { old: N(1) },
    { error: 'DuplicateItemException', message: 'Duplicate primary key exists in table' },
    { old: N(1) },
  ),
  says(`INSERT INTO ${P} VALUE {'pk': 'x'}`, refused('Key attribute should be present in the item: Key sk')),
  says(`INSERT INTO ${P} VALUE {'pk': 'x', 'sk': 1}`, kWrongType('sk')),
]);
runCases('UPDATE', [
  wrote('1', 'SET a = 1, b = n', doc, { ...doc, a: N(1), b: N(5) }),
  wrote('2', 'SET n = n + 1 SET m.a = n - 2', doc, { ...doc, n: N(6), m: M({ a: N(3), b: N(2) }) }),
  wrote('3', 'SET n=n-1 REMOVE l[0] REMOVE m.b', doc, { ...doc, n: N(4), l: L(N(2)), m: M({ a: N(1) }) }),
  wrote('4', "SET l = list_append(l, [3, <<'s'>>])", doc, { ...doc, l: L(N(1), N(2), N(3), { SS: ['s'] }) }),
  wrote('5', 'SET l = LIST_APPEND([0], l)', doc, { ...doc, l: L(N(0), N(1), N(2)) }),
  wrote('6', "SET ss = set_add(ss, <<'z', 'a'>>)", doc, { ...doc, ss: { SS: ['a', 'b', 'z'] } }),
  wrote('7', "SET ns = SET_ADD(ns, <<2>>) SET ss = set_delete(ss, <<'a', 'y'>>)", doc, {
    ...doc,
    ns: { NS: ['1', '2'] },
    ss: { SS: ['b'] },
  }),
  wrote('8', "SET fresh = set_add(fresh, <<'x'>>)", doc, { ...doc, fresh: { SS: ['x'] } }),
  wrote('9', "SET ss = set_delete(ss, <<'a', 'b'>>)", doc, { n: doc.n, l: doc.l, m: doc.m, ns: doc.ns }),
  wrote('10', "SET absent = set_delete(absent, <<'a'>>)", doc, doc),
  wrote('11', "SET n = n - - 2, l = [- 1], m['c'] = {'d': 'e'}", doc, {
    ...doc,
    n: N(7),
    l: L(N(-1)),
    m: M({ a: N(1), b: N(2), c: M({ d: S('e') }) }),
  }),
  write('pq w12', (pk) => `FROM ${H} WHERE pk = '${pk}' SET c = 1 REMOVE n`, { n: N(1) }, kEmpty, { c: N(1) }),
  write('pq w13', set('SET c = 1', ' AND n = 5'), doc, kEmpty, { ...doc, c: N(1) }),
  write('pq w14', set('SET c = 1', ' AND (n = 4 OR n = 5) AND attribute_exists(l)'), doc, kEmpty, { ...doc, c: N(1) }),
  write('pq w15', set('SET c = 1', ' AND n = 4'), doc, kConditionFailed, doc),
  write('pq w16', set('SET c = 1'), undefined, kConditionFailed, absent),
  write('pq w17', set('REMOVE c'), undefined, kConditionFailed, absent),
  write('pq w18', set('SET c = 1', ' AND attribute_not_exists(pk)'), undefined, kConditionFailed, absent),
  write(
    'pq w19',
    set('SET c = 1', ' AND n = 4'),
    doc,
    { ...kConditionFailed, item: exact({ pk: S('pq w19'), ...doc }) },
    doc,
    { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  ),
  write('pq w20', set('SET c = ?', ' AND n = ?'), doc, kEmpty, { ...doc, c: S('x') }, { Parameters: [S('x'), N(5)] }),
  write('pq w21', (pk) => `UPDATE ${H} SET c = 1 WHERE (pk = '${pk}' AND n = 5) AND pk = '${pk}'`, doc, kEmpty, {
    ...doc,
    c: N(1),
  }),
]);
const returned = (id, changes, what, old, items) =>
  write(`pq r${id}`, set(changes, ` RETURNING ${what} *`), old, { output: { Items: exact(items) } });
runCases('RETURNING', [
  returned(1, 'SET n = 6', 'ALL OLD', { n: N(5), k: N(1) }, [{ pk: S('pq r1'), n: N(5), k: N(1) }]),
  returned(2, 'SET n = 6', 'ALL NEW', { n: N(5), k: N(1) }, [{ pk: S('pq r2'), n: N(6), k: N(1) }]),
  returned(3, 'SET n = 6', 'MODIFIED OLD', { n: N(5), k: N(1) }, [{ n: N(5) }]),
  returned(4, 'SET n = 6', 'MODIFIED NEW', { n: N(5), k: N(1) }, [{ n: N(6) }]),
  returned(5, 'SET m.a = 6', 'MODIFIED NEW', { m: M({ a: N(1), b: N(2) }) }, [{ m: M({ a: N(6) }) }]),
  returned(6, 'REMOVE n', 'MODIFIED NEW', { n: N(5) }, []),
  returned(7, 'SET x = 1', 'MODIFIED OLD', { n: N(5) }, []),
  returned(8, "SET l[2] = 'y', l[0] = 'x'", 'MODIFIED NEW', { l: L(S('a'), S('b'), S('c')) }, [
    { l: L(S('x'), S('y')) },
  ]),
  returned(9, "SET l[5] = 'c'", 'MODIFIED NEW', { l: L(S('a'), S('b')) }, []),
  returned(10, 'REMOVE l[1]', 'MODIFIED NEW', { l: L(S('a'), S('b'), S('c')) }, [{ l: L(S('c')) }]),
  write(
    'pq r11',
    (pk) => `DELETE FROM ${H} WHERE pk = '${pk}' RETURNING ALL OLD *`,
    { n: N(1) },
    { output: { Items: exact([{ pk: S('pq r11'), n: N(1) }]) } },
    absent,
  ),
  write('pq r12', (pk) => `DELETE FROM ${H} WHERE pk = '${pk}' RETURNING ALL OLD *`, undefined, kEmpty, absent),
]);
runCases('DELETE', [
  write('pq d1', (pk) => `DELETE FROM ${H} WHERE pk = '${pk}'`, doc, kEmpty, absent),
  write('pq d2', (pk) => `DELETE FROM ${H} WHERE pk = '${pk}'`, undefined, kEmpty, absent),
  write('pq d3', (pk) => `DELETE FROM ${H} WHERE pk = '${pk}' AND n = 5`, doc, kEmpty, absent),
  write('pq d4', (pk) => `DELETE FROM ${H} WHERE pk = '${pk}' AND n = 4`, doc, kConditionFailed, doc),
  write('pq d5', (pk) => `DELETE FROM ${H} WHERE pk = '${pk}' AND n = 4`, undefined, kEmpty, absent),
  write(
    'pq d6',
    (pk) => `DELETE FROM ${H} WHERE pk = '${pk}' AND NOT begins_with(s, 'a')`,
    { s: S('abc') },
    kConditionFailed,
    { s: S('abc') },
  ),
]);

const update = (changes) => `UPDATE ${H} SET ${changes} WHERE pk = 'pq item'`;
const kIncorrect = refused('An operand in the update expression has an incorrect data type');
const notSet = (changes, word) =>
  says(
    update(changes),
    refused(
      `The second argument to ${word} must be a value with type SET at ${at(update(changes), 'ss', update(changes).indexOf('('))}`,
    ),
  );
const notSame = (changes, call_, word) =>
  says(
    update(changes),
    refused(`The first argument to ${word} must equal the assignment value at ${at(update(changes), call_)}`),
  );
runCases('a write refused', [
  notSame("t = set_add(ss, <<'x'>>)", 'set_add', 'SET_ADD'),
  notSame("ss = set_add(<<'a'>>, <<'b'>>)", 'set_add', 'SET_ADD'),
  notSame("t = set_delete(ss, <<'a'>>)", 'set_delete', 'SET_DELETE'),
  notSet("ss = set_add(ss, 'x')", 'SET_ADD'),
  notSet("ss = set_add(ss, ['x'])", 'SET_ADD'),
  notSet("ss = set_delete(ss, 'a')", 'SET_DELETE'),
  says(
    update('ss = set_add(ss)'),
    refused(`SET_ADD must have exactly two arguments at ${at(update('ss = set_add(ss)'), 'set_add')}`),
  ),
  says(update('ss = set_add(ss, <<1>>)'), kIncorrect),
  says(update("s = set_add(s, <<'x'>>)"), kIncorrect),
  says(update("n = 'a' + 1"), operand('+', 'S')),
  says(update('n = n - null'), operand('-', 'NULL')),
  says(
    update('absent = list_append(absent, [1])'),
    refused('The provided expression refers to an attribute that does not exist in the item'),
  ),
  says(update("absent[0] = 'x'"), refused('The document path provided in the update expression is invalid for update')),
  says(update('n = 1e-131'), refused(`${kUnderflow} under root`)),
  says(update("pk = 'x'"), refused(`${kInvalid}Cannot update attribute pk. This attribute is part of the key`)),
  says(
    update('n = nothing(n)'),
    refused(`Unrecognized function: nothing at ${at(update('n = nothing(n)'), 'nothing')}`),
  ),
  says(update('m.deep = ?'), refused(kTooDeep), [
    Array.from({ length: 31 }).reduce((inner) => M({ a: inner }), S('x')),
  ]),
  says(`UPDATE ${H} SET c = 1`, kNoKey),
  says(`DELETE FROM ${H}`, kNoKey),
  says(`FROM ${H} SET c = 1`, kNoKey),
  says(`FROM ${H} WHERE a = 1 SET c = 1`, kNoKey),
  says(`DELETE FROM ${P} WHERE pk = 'p1'`, kNoKey),
  says(`DELETE FROM ${H} WHERE pk IN ['a']`, kNoKey),
  says(`DELETE FROM ${H} WHERE pk = 'a' OR pk = 'b'`, kNoKey),
  says(`UPDATE ${H} SET c = 1 WHERE pk = 1`, kWrongType('pk')),
  says(
    `UPDATE ${H} SET a = 1 WHERE pk = 'pq item' AND pk = 'other'`,
    refused('Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported'),
  ),
]);

// ---- Pages.

async function pages(input) {
  const all = [];
  for (let NextToken, count = 0; ; count++) {
    assert.ok(count < 50, 'no end of pages');
    const reply = await call('ExecuteStatement', { ...input, ...(NextToken && { NextToken }) });
    all.push(reply.Items);
    NextToken = reply.NextToken;
    if (!NextToken) return all;
    assert.ok(reply.Items.length <= input.Limit);
  }
}
describe('NextToken', { concurrency: 4 }, () => {
  const expectPages = (title, condition, Limit, ...names) =>
    test(`goes through ${title}`, async () => {
      const all = await pages({ Statement: pairs(condition), Limit });
      assertMatches(all.flat(), exact(rows(...names)));
    });
  expectPages('one partition', "pk = 'pq o'", 2, 'o1', 'o2', 'o3');
  expectPages('one partition backwards', "pk = 'pq o' ORDER BY sk DESC", 1, 'o3', 'o2', 'o1');
  expectPages('several partitions', "pk IN ['pq o', 'pq p'] ORDER BY pk DESC", 2, 'p3', 'p2', 'p1', 'o3', 'o2', 'o1');
  expectPages('several items', "pk = 'pq o' AND sk IN ['1', '2', '3']", 1, 'o1', 'o2', 'o3');
  test('counts what it reads, not what it finds', async () => {
    const Statement = pairs("pk = 'pq o' AND f = 3");
    const first = await call('ExecuteStatement', { Statement, Limit: 2 });
    assertMatches(first, { Items: exact([]), LastEvaluatedKey: exact({ pk: S('pq o'), sk: S('2') }) });
    const second = await call('ExecuteStatement', { Statement, NextToken: first.NextToken });
    assertMatches(second, { Items: exact(rows('o3')), NextToken: absent });
  });
  test('is absent after one item read by its key', async () => {
    assertMatches(await call('ExecuteStatement', { Statement: pairs("pk = 'pq o' AND sk = '1'"), Limit: 1 }), {
      Items: rows('o1'),
      NextToken: absent,
    });
  });
  test('goes through an index and a scan', async () => {
    const all = await pages({ Statement: through('gsi-all', "gh = 'pq x'"), Limit: 1 });
    assertMatches(all.flat(), exact(sks('1', '3')));
    const scanned = await pages({ Statement: through('gsi-all', "pk = 'pq i'"), Limit: 1 });
    assertMatches(scanned.flat(), unordered(sks('1', '2', '3')));
  });
  test('belongs to its statement and parameters', async () => {
    const Statement = pairs('pk = ?');
    const { NextToken } = await call('ExecuteStatement', { Statement, Parameters: [S('pq o')], Limit: 1 });
    const mismatch = refused('NextToken does not match request');
    await expectError('ExecuteStatement', { Statement: pairs("pk = 'pq o'"), NextToken }, mismatch);
    await expectError('ExecuteStatement', { Statement, Parameters: [S('pq p')], NextToken }, mismatch);
    await expectError(
      'ExecuteStatement',
      { Statement: where('n = 10'), NextToken: 'AAAA' },
      refused('Invalid NextToken'),
    );
    await expectError(
      'ExecuteStatement',
      { Statement: where('n = 10'), NextToken: 'no token' },
      refused('Invalid NextToken'),
    );
  });
});

// ---- Capacity.

const units = (Statement, ConsumedCapacity, more) => ({
  ...says(Statement, []),
  input: { Statement, ReturnConsumedCapacity: 'INDEXES', ...more },
  expect: {
    output: { ConsumedCapacity: { CapacityUnits: ConsumedCapacity.Table.CapacityUnits, ...ConsumedCapacity } },
  },
});
const T = (CapacityUnits) => ({ Table: { CapacityUnits } });
runCases('ConsumedCapacity', [
  units(`SELECT * FROM ${H} WHERE pk = 'pq item'`, { ...T(0.5), TableName: kHash }),
  units(`SELECT * FROM ${H} WHERE pk = 'pq nothing'`, T(1), { ConsistentRead: true }),
  units(pairs("pk IN ['pq o', 'pq p'] AND sk = '1'"), T(1)),
  units(`DELETE FROM ${H} WHERE pk = 'pq absent'`, T(1)),
  units(through('gsi-all', "gh = 'pq x'"), {
    ...T(0),
    CapacityUnits: 0.5,
    GlobalSecondaryIndexes: { 'gsi-all': { CapacityUnits: 0.5 } },
  }),
  units(through('lsi-keys', "pk = 'pq i'", 'hidden'), {
    ...T(1.5),
    CapacityUnits: 2,
    LocalSecondaryIndexes: { 'lsi-keys': { CapacityUnits: 0.5 } },
  }),
  {
    ...says(`SELECT pk FROM ${H} WHERE pk = 'pq item' AND n = 10`, found),
    expect: { output: { ConsumedCapacity: absent } },
  },
]);

// ---- BatchExecuteStatement.

const batch = (name_, Statements, Responses, more = {}) => ({
  name: name_,
  operation: 'BatchExecuteStatement',
  input: { Statements: Statements.map((one) => (typeof one === 'string' ? { Statement: one } : one)), ...more },
  expect: { output: { Responses } },
});
const slot = (Code, Message, TableName = absent) => ({ Error: { Code, Message }, Item: absent, TableName });
const kBatchKey = slot(
  'ValidationError',
  'Select statements within BatchExecuteStatement must specify the primary key in the where clause.',
);
runCases('BatchExecuteStatement', [
  batch(
    'reads',
    [
      pairs("pk = 'pq o' AND sk = '1'"),
      pairs("pk IN ['pq o'] AND sk = '9'"),
      `SELECT m.sub FROM ${H} WHERE pk = 'pq item'`,
    ],
    [
      { TableName: kPair, Item: exact(rows('o1')[0]), Error: absent },
      { TableName: kPair, Item: absent },
      { Item: exact({ sub: S('x') }) },
    ],
  ),
  batch(
    'reads that are not by key',
    [
      pairs("pk = 'pq o'"),
      pairs("pk = 'pq o' AND sk = '1' AND f = 1"),
      pairs("pk = 'a' AND sk = '1' AND pk = 'b'"),
      through('gsi-all', "gh = 'pq x'"),
      `SELECT * FROM ${H} WHERE val = 1`,
      pairs("pk IN ['a', 'b'] AND sk = '1'"),
    ],
    [kBatchKey, kBatchKey, kBatchKey, kBatchKey, kBatchKey, kBatchKey],
  ),
  batch(
    'each fails for itself',
    [
      `SLECT * FROM ${H} WHERE pk = 'x'`,
      `SELECT pk FROM ${H} WHERE pk = 'pq item'`,
      `SELECT * FROM "${kAbsent}" WHERE pk = 'x'`,
      { Statement: where('n = ?'), Parameters: [N('abc')] },
      pairs(`pk IN [${many(51)}] AND sk = '1'`),
    ],
    [
      slot('ValidationError', `${kMalformed}Expected data manipulation`),
      { Item: found[0] },
      slot('ResourceNotFound', 'Requested resource not found'),
      slot('ValidationError', `${kNotNumeric}: abc`),
      slot('ValidationError', kTooManyReads.message),
    ],
  ),
  {
    ...batch(
      'writes',
      [
        `INSERT INTO ${H} VALUE {'pk': 'pq b1'}`,
        `INSERT INTO ${H} VALUE {'pk': 'pq b2'}`,
        `UPDATE ${H} SET a = 1 WHERE pk = 'pq b3' RETURNING ALL NEW *`,
        `UPDATE ${H} SET a = 1 WHERE pk = 'pq b5' AND b = 1`,
        `DELETE FROM ${H} WHERE pk = 'pq b4' RETURNING ALL OLD *`,
        `UPDATE ${H} REMOVE z WHERE pk = 'pq b6' RETURNING MODIFIED NEW *`,
      ],
      [
        { TableName: kHash, Item: absent, Error: absent },
        slot('DuplicateItem', 'Duplicate primary key exists in table', kHash),
        { TableName: kHash, Item: exact({ pk: S('pq b3'), a: N(1) }) },
        slot('ConditionalCheckFailed', 'The conditional request failed', kHash),
        { Item: exact({ pk: S('pq b4') }) },
        { TableName: kHash, Item: absent, Error: absent },
      ],
    ),
    before: [
      ['DeleteItem', { TableName: kHash, Key: H_('pq b1') }],
      ...['pq b2', 'pq b3', 'pq b4', 'pq b5', 'pq b6'].map((pk) => put(kHash, H_(pk))),
    ],
    after: [stored(kHash, H_('pq b1'), exact(H_('pq b1'))), stored(kHash, H_('pq b4'), absent)],
  },
  batch(
    'no item with a failed condition',
    [
      {
        Statement: `UPDATE ${H} SET a = 1 WHERE pk = 'pq item' AND n = 0`,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ],
    [slot('ConditionalCheckFailed', 'The conditional request failed', kHash)],
  ),
  {
    ...batch(
      'capacity of what succeeded',
      [
        { Statement: `SELECT * FROM ${H} WHERE pk = 'pq item'`, ConsistentRead: true },
        `SELECT * FROM ${H} WHERE pk = 'pq nothing'`,
        `SELECT * FROM ${H} WHERE n = 1`,
      ],
      [],
    ),
    input: {
      Statements: [
        { Statement: `SELECT * FROM ${H} WHERE pk = 'pq item'`, ConsistentRead: true },
        { Statement: `SELECT * FROM ${H} WHERE pk = 'pq nothing'` },
        { Statement: `SELECT * FROM ${H} WHERE n = 1` },
      ],
      ReturnConsumedCapacity: 'INDEXES',
    },
    expect: { output: { ConsumedCapacity: [{ TableName: kHash, CapacityUnits: 1.5, Table: { CapacityUnits: 1.5 } }] } },
  },
  {
    ...batch('no statements', [], []),
    expect: refused(
      "1 validation error detected: Value '[]' at 'statements' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ),
  },
]);

// ---- ExecuteTransaction.

const transaction = (name_, statements, expect, before_ = [], after_ = [], more = {}) => ({
  name: name_,
  operation: 'ExecuteTransaction',
  before: before_,
  input: { TransactStatements: statements.map((one) => (typeof one === 'string' ? { Statement: one } : one)), ...more },
  expect,
  after: after_,
});
const inStatement = (i, message) => refused(`Validation failed in TransactStatements[${i}]: ${message}`);
const kCancelled = 'Transaction cancelled, please refer cancellation reasons for specific reasons';
const cancelled = (...codes) => ({
  error: 'TransactionCanceledException',
  message: `${kCancelled} [${codes.join(', ')}]`,
});
const kTransactionKey = 'Select statements within ExecuteTransaction must specify the primary key in the where clause.';
const kExistsNeeds = 'EXISTS() must contain a single item read with additional condition';
const touch = (pk) => `UPDATE ${H} SET z = 1 WHERE pk = '${pk}'`;
runCases('ExecuteTransaction', [
  transaction(
    'reads',
    [
      pairs("pk = 'pq o' AND sk = '1'"),
      `SELECT m.sub FROM ${H} WHERE pk = 'pq item'`,
      pairs("pk IN ['pq o'] AND sk = '9'"),
    ],
    { output: { Responses: exact([{ Item: rows('o1')[0] }, { Item: { sub: S('x') } }, {}]) } },
  ),
  transaction(
    'writes',
    [
      `INSERT INTO ${H} VALUE {'pk': 'pq t1'}`,
      `UPDATE ${H} SET ss = set_add(ss, <<'t'>>) WHERE pk = 'pq t2'`,
      `DELETE FROM ${H} WHERE pk = 'pq t3'`,
      `EXISTS(SELECT * FROM ${H} WHERE pk = 'pq item' AND absent IS MISSING)`,
    ],
    { output: { Responses: exact([]) } },
    [['DeleteItem', { TableName: kHash, Key: H_('pq t1') }], put(kHash, H_('pq t2')), put(kHash, H_('pq t3'))],
    [
      stored(kHash, H_('pq t1'), exact(H_('pq t1'))),
      stored(kHash, H_('pq t2'), exact({ pk: S('pq t2'), ss: { SS: ['t'] } })),
      stored(kHash, H_('pq t3'), absent),
    ],
  ),
  transaction(
    'a duplicate undoes all',
    [`INSERT INTO ${H} VALUE {'pk': 'pq t4'}`, `INSERT INTO ${H} VALUE {'pk': 'pq t5'}`],
    cancelled('DuplicateItem', 'None'),
    [put(kHash, H_('pq t4')), ['DeleteItem', { TableName: kHash, Key: H_('pq t5') }]],
    [stored(kHash, H_('pq t5'), absent)],
  ),
  transaction(
    'an EXISTS that does not hold',
    [`EXISTS(SELECT * FROM ${H} WHERE pk = 'pq item' AND n = 0)`, touch('pq t6')],
    cancelled('ConditionalCheckFailed', 'None'),
    [put(kHash, H_('pq t6'))],
  ),
  transaction('an update of nothing', [touch('pq never')], cancelled('ConditionalCheckFailed')),
  transaction(
    'capacity',
    [touch('pq t7')],
    {
      output: {
        Responses: exact([]),
        ConsumedCapacity: [{ TableName: kHash, CapacityUnits: 2, WriteCapacityUnits: 2 }],
      },
    },
    [put(kHash, H_('pq t7'))],
    [],
    { ReturnConsumedCapacity: 'TOTAL' },
  ),
  transaction(
    'reads and writes',
    [`SELECT * FROM ${H} WHERE pk = 'pq item'`, touch('pq item')],
    refused('ExecuteTransaction API does not support both read and write operations in the same request.'),
  ),
  transaction(
    'malformed',
    [touch('pq item'), `SELECT * FROM ${H} WHERE`],
    inStatement(1, `${kMalformed}Unexpected term`),
  ),
  transaction(
    'a bad parameter',
    [{ Statement: `UPDATE ${H} SET n = ? WHERE pk = 'x'`, Parameters: [N('abc')] }],
    refused(`${kNotNumeric}: abc`),
  ),
  transaction(
    'RETURNING',
    [`${touch('pq item')} RETURNING ALL NEW *`],
    inStatement(0, 'RETURNING clause is not supported in ExecuteTransaction.'),
  ),
  transaction(
    'an index',
    [through('gsi-all', "gh = 'pq x'")],
    inStatement(0, 'Reads on indices are not supported within transactions.'),
  ),
  transaction('a read not by key', [pairs("pk = 'pq o'")], inStatement(0, kTransactionKey)),
  transaction(
    'a read by more than the key',
    [pairs("pk = 'pq o' AND sk = '1' AND attribute_exists(f)")],
    inStatement(0, kTransactionKey),
  ),
  transaction(
    'EXISTS of the key alone',
    [`EXISTS(SELECT * FROM ${H} WHERE pk = 'pq item')`, touch('pq never')],
    inStatement(0, kExistsNeeds),
  ),
  transaction(
    'EXISTS with IN',
    [`EXISTS(SELECT * FROM ${H} WHERE pk IN ['pq item'] AND n = 1)`, touch('pq never')],
    inStatement(0, kExistsNeeds),
  ),
  transaction(
    'an operand',
    [`UPDATE ${H} SET n = n + [1] WHERE pk = 'pq item'`],
    inStatement(0, operand('+', 'L').message),
  ),
  transaction('overlapping reads', [pairs("pk IN ['a', 'a'] AND sk = '1'")], inStatement(0, kOverlap.message)),
  transaction(
    'one item twice',
    [`SELECT * FROM ${H} WHERE pk = 'pq item'`, `SELECT s FROM ${H} WHERE pk = 'pq item'`],
    refused('Transaction request cannot include multiple operations on one item'),
  ),
  transaction(
    'keys that do not fit',
    [pairs("pk = 'a' AND sk = '1'"), pairs("pk = 1 AND sk = '1'")],
    cancelled('None', 'ValidationError'),
  ),
  transaction(
    'writes that name no item',
    [
      `UPDATE ${P} SET a = 1 WHERE pk = 'a'`,
      `UPDATE ${P} SET a = 1 WHERE pk = 'a' AND sk = '1' AND pk = 'b'`,
      `INSERT INTO ${P} VALUE {'pk': 'a'}`,
      touch('pq item'),
    ],
    cancelled('ValidationError', 'None', 'None', 'None'),
  ),
  transaction(
    'a table that is not there',
    [`UPDATE "${kAbsent}" SET a = 1 WHERE pk = 'x' RETURNING ALL NEW *`, touch('pq item')],
    cancelled('ResourceNotFound', 'None'),
  ),
  transaction(
    'what is wrong comes before a missing table',
    [`UPDATE "${kAbsent}" SET a = 1 WHERE pk = 'x'`, `${touch('pq item')} RETURNING ALL NEW *`],
    inStatement(1, 'RETURNING clause is not supported in ExecuteTransaction.'),
  ),
  transaction(
    'nothing',
    [],
    refused(
      "1 validation error detected: Value '[]' at 'transactStatements' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ),
  ),
]);
describe('ExecuteTransaction', () => {
  test('takes effect once for a token', async () => {
    const pk = S('pq token');
    await call('PutItem', { TableName: kHash, Item: { pk, n: N(0) } });
    const input = {
      TransactStatements: [{ Statement: `UPDATE ${H} SET n = n + 1 WHERE pk = 'pq token'` }],
      ClientRequestToken: `pq-${Date.now()}`,
      ReturnConsumedCapacity: 'INDEXES',
    };
    assertMatches(await call('ExecuteTransaction', input), {
      ConsumedCapacity: [{ WriteCapacityUnits: 2, ReadCapacityUnits: absent }],
    });
    assertMatches(await call('ExecuteTransaction', input), {
      ConsumedCapacity: [{ ReadCapacityUnits: 2, WriteCapacityUnits: absent }],
    });
    assertMatches(await call('GetItem', { TableName: kHash, Key: { pk } }), { Item: { n: N(1) } });
  });
  test('gives a reason for each statement', async () => {
    const error = await expectError(
      'ExecuteTransaction',
      {
        TransactStatements: [
          { Statement: touch('pq item') },
          { Statement: `UPDATE ${P} SET a = 1 WHERE pk = 'a'` },
          { Statement: `INSERT INTO ${H} VALUE {'pk': 'pq item 2', 'a': ?}`, Parameters: [N(1)] },
        ],
      },
      cancelled('None', 'ValidationError', 'None'),
    );
    assertMatches(
      error.CancellationReasons,
      exact([
        { Code: 'None' },
        { Code: 'ValidationError', Message: 'The provided key element does not match the schema' },
        { Code: 'None' },
      ]),
    );
  });
});

// ---- Indexes whose keys have several attributes.

describe('an index with several key attributes', () => {
  const TableName = name('pq-multi');
  before(() =>
    createTable(
      table(TableName, { id: 'S', h1: 'S', h2: 'S', r1: 'S' }, 'id', undefined, {
        GlobalSecondaryIndexes: [index('gsi', ['h1', 'h2'], 'r1', kAll)],
      }),
    ),
  );
  after(() => deleteTable(TableName));
  test('is refused, and its table is not', async () => {
    const no = refused(
      'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.',
    );
    for (const rest of [" WHERE h1 = 'a'", ' WHERE h1 = 5', ''])
      await expectError('ExecuteStatement', { Statement: `SELECT * FROM "${TableName}"."gsi"${rest}` }, no);
    await expectError('ExecuteStatement', { Statement: `SELECT COUNT(*) FROM "${TableName}"."gsi"` }, no);
    await expectError(
      'ExecuteStatement',
      { Statement: `SELECT * FROM "${TableName}"."gsi" WHERE` },
      malformed('Unexpected term'),
    );
    assertMatches(
      await call('BatchExecuteStatement', {
        Statements: [{ Statement: `SELECT * FROM "${TableName}"."gsi" WHERE h1 = 'a'` }],
      }),
      { Responses: [{ Error: { Code: 'ValidationError', Message: no.message } }] },
    );
    await call('ExecuteStatement', { Statement: `INSERT INTO "${TableName}" VALUE {'id': 'n1', 'h1': 'a'}` });
    assertMatches(await call('ExecuteStatement', { Statement: `SELECT * FROM "${TableName}" WHERE id = 'n1'` }), {
      Items: [{ h1: S('a') }],
    });
  });
});
