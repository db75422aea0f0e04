// PartiQL statements that are refused, with their exact messages.
import { before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { call } from '../harness/client.mjs';
import { expectError, refused, runCases, kInvalid, kConditionFailed, kNoTable } from '../harness/cases.mjs';
import { exact } from '../harness/match.mjs';
import { kAbsent, kHash, kIndexed, kNumberHash, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const kMalformed = "Statement wasn't well formed, can't be processed: ";
const kLeftover = `${kMalformed}Unexpected token after expression`;
const kAlias = 'Aliasing is not supported';
const kOverflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const kUnderflow = 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const kDigits = 'Attempting to store more than 38 significant digits in a Number';
const kItem = 'statement refusals';
before(() =>
  call('PutItem', {
    TableName: kHash,
    Item: {
      pk: S(kItem),
      ss: { SS: ['a', 'b', 'c'] },
      ns: { NS: ['1', '2'] },
      s: S('str'),
      m: { M: { sub: S('x') } },
      nul: { NULL: true },
      flag: { BOOL: true },
    },
  }),
);

const says = (Statement, message, Parameters) => ({
  name:
    Statement.replaceAll(kHash, 'hash').replaceAll(kNumberHash, 'number').slice(0, 100) +
    (Parameters ? JSON.stringify(Parameters).slice(0, 40) : ''),
  operation: 'ExecuteStatement',
  input: { Statement, ...(Parameters ? { Parameters } : {}) },
  expect: refused(message),
});
const number = (rest) => `SELECT * FROM "${kNumberHash}" WHERE pk = ${rest}`;
runCases('a statement that cannot be read', [
  says(number('1 foo'), kLeftover),
  says(number('1 e5'), kLeftover),
  says(number('1)'), kLeftover),
  says(`INSERT INTO "${kNumberHash}" VALUE {'pk': 970001} foo`, kLeftover),
  says(`UPDATE "${kNumberHash}" SET a = 9 WHERE pk = 970002 foo`, kLeftover),
  says(`DELETE FROM "${kNumberHash}" WHERE pk = 970003 foo`, kLeftover),
  says(`DELETE FROM "${kNumberHash}" WHERE pk = 970004 ORDER BY pk`, kLeftover),
  says(`SELECT * FROM "${kNumberHash}" ORDER BY pk WHERE pk = 1`, kLeftover),
  says(number('1e2147483648'), kMalformed),
  says(number('1e99999999999'), kMalformed),
  says(number('1.5e-2147483647'), kMalformed),
  says(number('1 # note'), kMalformed),
  says(number('1 /* note'), kMalformed),
  says(`SELECT * FROM "${kHash}" t WHERE pk = 'x'`, kAlias),
  says(`SELECT * FROM "${kHash}" AS t WHERE pk = 'x'`, kAlias),
  says(`UPDATE "${kHash}" t SET a = 3 WHERE pk = 'x'`, kAlias),
  says(`DELETE FROM "${kHash}" t WHERE pk = 'x'`, kAlias),
  says(`INSERT INTO "${kHash}" t VALUE {'pk': 'x'}`, kLeftover),
  says(number('1e126'), `${kOverflow} under root`),
  says(number('1e-131'), `${kUnderflow} under root`),
  says(number('123456789012345678901234567890123456789'), `${kDigits} under root`),
  says(`INSERT INTO "${kNumberHash}" VALUE {'pk': 1e126}`, `${kOverflow} under root`),
  says(`UPDATE "${kNumberHash}" SET a = 1e-131 WHERE pk = 970005`, `${kUnderflow} under root`),
  says(`INSERT INTO "${kNumberHash}" VALUE {'pk': 970006, 'm': {'x': 1e126}}`, `${kOverflow} under root.x`),
  says(`INSERT INTO "${kNumberHash}" VALUE {'pk': 970007, 'l': [1, 1e126]}`, `${kOverflow} under root[1]`),
]);

const where = (condition) => `SELECT * FROM "${kHash}" WHERE pk = '${kItem}' AND ${condition}`;
const update = (set) => `UPDATE "${kHash}" SET ${set} WHERE pk = '${kItem}'`;
const at = (statement, token, length = token.length, from = 0) => `1:${statement.indexOf(token, from) + 1}:${length}`;
const placed = (statement, words, token = words.token) => says(statement, words(at(statement, token)));
const operands = (name, count) =>
  `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${count}`;
const mustEqual = (name) => (place) => `The first argument to ${name} must equal the assignment value at ${place}`;
const secondSet = (name, statement, call_) =>
  says(
    statement,
    `The second argument to ${name} must be a value with type SET at ${at(statement, 'ss', 2, statement.indexOf(call_))}`,
  );
runCases('functions in statements', [
  says(
    where("attribute_exists('ss')"),
    'Operator or function requires a document path; operator or function: attribute_exists',
  ),
  says(
    where('attribute_exists(?)'),
    'Operator or function requires a document path; operator or function: attribute_exists',
    [S('ss')],
  ),
  says(where('attribute_exists()'), operands('attribute_exists', 0)),
  says(where('attribute_exists(ss, ns)'), operands('attribute_exists', 2)),
  placed(
    `SELECT attribute_exists(ss) FROM "${kHash}" WHERE pk = '${kItem}'`,
    (place) => `Unexpected path component at ${place}`,
    'attribute_exists',
  ),
  placed(where('EXISTS(ss)'), (place) => `Unrecognized function: exists at ${place}`, 'EXISTS'),
  says(where('attribute_exists(m.inner)'), `${kMalformed}Invalid path dot component`),
  placed(update("t = set_add(ss, <<'x'>>)"), mustEqual('SET_ADD'), 'set_add'),
  placed(update("ss = set_add(<<'a'>>, <<'b'>>)"), mustEqual('SET_ADD'), 'set_add'),
  secondSet('SET_ADD', update("ss = set_add(ss, 'x')"), 'set_add('),
  secondSet('SET_ADD', update("ss = set_add(ss, ['x'])"), 'set_add('),
  placed(update('ss = set_add(ss)'), (place) => `SET_ADD must have exactly two arguments at ${place}`, 'set_add'),
  placed(
    update("ss = set_add(ss, <<'x'>>, <<'y'>>)"),
    (place) => `SET_ADD must have exactly two arguments at ${place}`,
    'set_add',
  ),
  says(update('ss = set_add(ss, <<1>>)'), 'An operand in the update expression has an incorrect data type'),
  says(update("s = set_add(s, <<'x'>>)"), 'An operand in the update expression has an incorrect data type'),
  says(update("ss = set_add(ss, <<'x', 'x'>>)"), `${kInvalid}Input collection [x, x] contains duplicates.`),
  says(update('ss = set_add(ss, <<>>)'), 'Empty bags are not supported'),
  says(update("m.inner = set_add(m.inner, <<'y'>>)"), `${kMalformed}Invalid path dot component`),
  placed(where("set_add(ss, <<'x'>>) = ss"), (place) => `Unrecognized function: set_add at ${place}`, 'set_add'),
  placed(
    `INSERT INTO "${kHash}" VALUE {'pk': 'x', 'ss': set_add(<<'a'>>, <<'b'>>)}`,
    (place) => `Unsupported data type: set_add under key root at ${place}`,
    'set_add',
  ),
  placed(update("t = set_delete(ss, <<'a'>>)"), mustEqual('SET_DELETE'), 'set_delete'),
  secondSet('SET_DELETE', update("ss = set_delete(ss, 'a')"), 'set_delete('),
  says(update('ss = set_delete(ss, <<1>>)'), 'An operand in the update expression has an incorrect data type'),
  says(
    `INSERT INTO "${kIndexed}"."gsi-all" VALUE {'pk': 'a', 'sk': 'b'}`,
    'FROM clause may only contain a single table name in data manipulation statements',
  ),
  says(`UPDATE "${kIndexed}"."gsi-all" SET a = 1 WHERE pk = 'a'`, 'This operation is not supported on an index'),
  says(`DELETE FROM "${kIndexed}"."gsi-all" WHERE pk = 'a'`, 'This operation is not supported on an index'),
]);

const found = (condition, holds) => ({
  name: condition,
  operation: 'ExecuteStatement',
  input: { Statement: `SELECT pk FROM "${kHash}" WHERE pk = '${kItem}' AND ${condition}`, ConsistentRead: true },
  expect: { output: { Items: holds ? exact([{ pk: S(kItem) }]) : exact([]) } },
});
runCases('conditions of statements', [
  found('attribute_exists(ss)', true),
  found('attribute_exists(nope)', false),
  found('attribute_not_exists(nope)', true),
  found('attribute_not_exists(ss)', false),
  found('NOT attribute_exists(nope)', true),
  found('ATTRIBUTE_EXISTS(ss)', true),
  found('(attribute_exists(nope) OR attribute_exists(ss))', true),
  found('attribute_exists(ss) = true', true),
  found('attribute_exists("ss")', true),
  found('attribute_exists(m.sub)', true),
  found('attribute_exists(m.nope)', false),
  found('size(s) = 3', true),
  found('size(s) = 4', false),
  found("attribute_type(ss, 'SS')", true),
  found("attribute_type(ss, 'S')", false),
  found('nul IS NULL', true),
  found('s IS NULL', false),
  found('s IS NOT NULL', true),
  found('nul IS NOT NULL', false),
  found('flag IS BOOL', true),
  found('s IS STRING', true),
  found('s IS BOOL', false),
  {
    name: 'an UPDATE of nothing makes nothing',
    operation: 'ExecuteStatement',
    input: { Statement: `UPDATE "${kHash}" SET z = 1 WHERE pk = 'statement nothing' AND attribute_not_exists(pk)` },
    expect: kConditionFailed,
  },
  {
    name: 'a DELETE whose condition fails',
    operation: 'ExecuteStatement',
    input: { Statement: `DELETE FROM "${kHash}" WHERE pk = '${kItem}' AND attribute_exists(nope)` },
    expect: kConditionFailed,
  },
]);

const operandType = (name, type) =>
  `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${type}`;
runCases('a statement on a table that is not there', [
  says(`SELECT COUNT(*) FROM "${kAbsent}"`, 'Unexpected path component at 1:8:5'),
  says(`SELECT SUM(a) FROM "${kAbsent}"`, 'Unexpected path component at 1:8:3'),
  says(`SELECT count(pk) FROM "${kAbsent}"`, 'Unexpected path component at 1:8:5'),
  says(`SELECT * FROM "${kAbsent}" WHERE begins_with(a, 5)`, operandType('begins_with', 'N')),
  says(`SELECT * FROM "${kAbsent}" WHERE begins_with(a, ?)`, operandType('begins_with', 'N'), [N('5')]),
  says(`DELETE FROM "${kAbsent}" WHERE begins_with(a, 5) AND pk = 'a'`, operandType('begins_with', 'N')),
  says(`UPDATE "${kAbsent}" SET a = 'x' + 1 WHERE pk = 'a'`, operandType('+', 'S')),
  says(`UPDATE "${kAbsent}" SET a = list_append(1, b) WHERE pk = 'a'`, operandType('list_append', 'N')),
  says(`SELECT * FROM "${kAbsent}" WHERE contains(a)`, operands('contains', 1)),
  ...[`SELECT * FROM "${kAbsent}" WHERE begins_with(a, 'x')`, `UPDATE "${kAbsent}" SET a = 1 WHERE pk = 'a'`].map(
    (Statement) => ({
      name: Statement.replaceAll(kAbsent, 'absent'),
      operation: 'ExecuteStatement',
      input: { Statement },
      expect: kNoTable,
    }),
  ),
]);

const deep = (levels, leaf = S('leaf')) => {
  let value = leaf;
  for (let step = 0; step < levels; step++) value = { M: { n: value } };
  return value;
};
const kDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
const kNotNumeric = 'The parameter cannot be converted to a numeric value';
const positions = [
  `SELECT * FROM "${kPair}" WHERE pk = 'a' AND n = ?`,
  `INSERT INTO "${kPair}" VALUE {'pk': 'statement parameter', 'sk': 's', 'n': ?}`,
  `UPDATE "${kPair}" SET n = ? WHERE pk = 'a' AND sk = 's'`,
  `SELECT * FROM "${kPair}" WHERE pk = ?`,
];
const two = `SELECT * FROM "${kPair}" WHERE pk = 'a' AND x = ? AND y = ?`;
const single = `SELECT * FROM "${kPair}" WHERE pk = 'a' AND x = ?`;
runCases('numbers given as parameters', [
  ...['1e99999999999', '-1e99999999999', '1e-99999999999', '1e2147483648', '1e-2147483648'].flatMap((text) =>
    positions.map((statement) => says(statement, `${kNotNumeric}: ${text}`, [N(text)])),
  ),
  ...positions.map((statement) => says(statement, kUnderflow, [N('1e2147483647')])),
  ...positions.map((statement) => says(statement, kNotNumeric, [N('')])),
  says(single, `${kNotNumeric}: 1e99999999999`, [{ L: [N('1'), N('1e99999999999')] }]),
  says(single, `${kNotNumeric}: 1e99999999999`, [{ M: { x: N('1e99999999999') } }]),
  says(single, `${kNotNumeric}: 1e99999999999`, [{ NS: ['1', '1e99999999999'] }]),
  ...[40, 100].flatMap((levels) => [
    { ...says(two, kDeep, [deep(levels), N('abc')]), name: `${levels} levels, then no number` },
    { ...says(two, `${kNotNumeric}: abc`, [N('abc'), deep(levels)]), name: `no number, then ${levels} levels` },
    {
      ...says(single, kDeep, [{ M: { d: deep(levels), bad: N('abc') } }]),
      name: `${levels} levels, then no number, in a map`,
    },
    {
      ...says(single, `${kNotNumeric}: abc`, [{ M: { bad: N('abc'), d: deep(levels) } }]),
      name: `no number, then ${levels} levels, in a map`,
    },
    { ...says(single, kDeep, [deep(levels, N('abc'))]), name: `no number below ${levels} levels` },
    { ...says(two, kDeep, [deep(levels), N('1e126')]), name: `${levels} levels, then too large a number` },
  ]),
  {
    name: 'in a transaction',
    operation: 'ExecuteTransaction',
    input: { TransactStatements: [{ Statement: positions[2], Parameters: [N('1e99999999999')] }] },
    expect: refused(`${kNotNumeric}: 1e99999999999`),
  },
]);

describe('what a statement among others says', () => {
  const member = async (Statement, Parameters) => {
    const { Responses } = await call('BatchExecuteStatement', { Statements: [{ Statement, Parameters }] });
    assert.equal(Responses.length, 1);
    return Responses[0].Error;
  };
  test('of a number', async () => {
    assert.deepEqual(
      await member(`SELECT * FROM "${kPair}" WHERE pk = 'a' AND sk = 's' AND n = ?`, [N('1e99999999999')]),
      {
        Code: 'ValidationError',
        Message: `${kNotNumeric}: 1e99999999999`,
      },
    );
  });
  test('of levels before a number', async () => {
    assert.deepEqual(await member(two, [deep(40), N('abc')]), { Code: 'ValidationError', Message: kDeep });
  });
  test('of a read that is not by its key', async () => {
    assert.deepEqual(await member(where('attribute_exists(ss)')), {
      Code: 'ValidationError',
      Message: 'Select statements within BatchExecuteStatement must specify the primary key in the where clause.',
    });
  });
  test('of the same in a transaction', () =>
    expectError(
      'ExecuteTransaction',
      { TransactStatements: [{ Statement: where('attribute_exists(ss)') }] },
      refused(
        'Validation failed in TransactStatements[0]: Select statements within ExecuteTransaction must specify the primary key in the where clause.',
      ),
    ));
  test('of EXISTS without a condition', () =>
    expectError(
      'ExecuteTransaction',
      {
        TransactStatements: [
          { Statement: `EXISTS(SELECT * FROM "${kHash}" WHERE pk = '${kItem}')` },
          { Statement: `UPDATE "${kHash}" SET z = 1 WHERE pk = 'never'` },
        ],
      },
      refused(
        'Validation failed in TransactStatements[0]: EXISTS() must contain a single item read with additional condition',
      ),
    ));
});
