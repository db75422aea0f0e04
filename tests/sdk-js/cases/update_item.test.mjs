// UpdateItem: the effect of each clause of UpdateExpression, the result, and all refusals.
import { runCases, kConditionFailed, kInvalid, kNoTable, one, refused } from '../harness/cases.mjs';
import { absent, exact } from '../harness/match.mjs';
import { kAbsent, kHash, kIndexed, kPair } from '../harness/tables.mjs';

const S = (value) => ({ S: value });
const N = (value) => ({ N: value });
const L = (...members) => ({ L: members });

// Puts `from`, applies the expression, expects exactly `to` (both without the key).
let serial = 0;
function becomes(expression, from, to, values, names) {
  const pk = S(`update ${serial++}`);
  return {
    name: expression,
    operation: 'UpdateItem',
    before: from === null ? [] : [['PutItem', { TableName: kHash, Item: { pk, ...from } }]],
    input: {
      TableName: kHash,
      Key: { pk },
      UpdateExpression: expression,
      ExpressionAttributeValues: values,
      ExpressionAttributeNames: names,
      ReturnValues: 'ALL_NEW',
    },
    expect: { output: { Attributes: exact({ pk, ...to }) } },
    after: [['GetItem', { TableName: kHash, Key: { pk }, ConsistentRead: true }, { Item: exact({ pk, ...to }) }]],
  };
}

runCases('SET', [
  becomes('SET a = :v', null, { a: S('x') }, { ':v': S('x') }),
  becomes('set a = :v', { a: S('old'), b: S('kept') }, { a: S('x'), b: S('kept') }, { ':v': S('x') }),
  becomes('SET a = :v, b = :w', {}, { a: S('x'), b: S('y') }, { ':v': S('x'), ':w': S('y') }),
  becomes('SET a = b', { b: N('1') }, { a: N('1'), b: N('1') }),
  becomes('SET a = b, b = a', { a: N('1'), b: N('2') }, { a: N('2'), b: N('1') }),
  becomes('SET n = n + :one', { n: N('9') }, { n: N('10') }, { ':one': N('1') }),
  becomes('SET n = n - :one', { n: N('0') }, { n: N('-1') }, { ':one': N('1') }),
  becomes('SET n = :one + n', { n: N('0.1') }, { n: N('0.3') }, { ':one': N('0.2') }),
  becomes('SET n = a - b', { a: N('5'), b: N('2') }, { a: N('5'), b: N('2'), n: N('3') }),
  becomes(
    'SET n = n + :big',
    { n: N('1') },
    { n: N('10000000000000000000000000000000000001') },
    { ':big': N('10000000000000000000000000000000000000') },
  ),
  becomes('SET n = if_not_exists(n, :zero) + :one', null, { n: N('1') }, { ':zero': N('0'), ':one': N('1') }),
  becomes('SET a = if_not_exists(a, :v)', { a: S('kept') }, { a: S('kept') }, { ':v': S('x') }),
  becomes('SET a = if_not_exists(b, c)', { c: S('from c') }, { a: S('from c'), c: S('from c') }),
  becomes('SET l = list_append(l, :l)', { l: L(N('1')) }, { l: L(N('1'), N('2')) }, { ':l': L(N('2')) }),
  becomes('SET l = list_append(:l, l)', { l: L(N('1')) }, { l: L(N('2'), N('1')) }, { ':l': L(N('2')) }),
  becomes(
    'SET l = list_append(if_not_exists(l, :none), :l)',
    null,
    { l: L(N('2')) },
    { ':l': L(N('2')), ':none': L() },
  ),
  becomes('SET l = list_append(l, l)', { l: L(N('1')) }, { l: L(N('1'), N('1')) }),
  becomes('SET m.a = :v', { m: { M: { b: S('y') } } }, { m: { M: { a: S('x'), b: S('y') } } }, { ':v': S('x') }),
  becomes(
    'SET m.a.b = :v',
    { m: { M: { a: { M: {} } } } },
    { m: { M: { a: { M: { b: S('x') } } } } },
    { ':v': S('x') },
  ),
  becomes('SET l[0] = :v', { l: L(S('a'), S('b')) }, { l: L(S('x'), S('b')) }, { ':v': S('x') }),
  becomes('SET l[9] = :v', { l: L(S('a')) }, { l: L(S('a'), S('x')) }, { ':v': S('x') }),
  becomes(
    'SET l[9] = :v, l[5] = :w',
    { l: L(S('a')) },
    { l: L(S('a'), S('w'), S('v')) },
    { ':v': S('v'), ':w': S('w') },
  ),
  becomes('SET l[0].a = :v', { l: L({ M: {} }) }, { l: L({ M: { a: S('x') } }) }, { ':v': S('x') }),
  becomes(
    'SET #m.#a = :v',
    { 'm.x': { M: {} } },
    { 'm.x': { M: { 'a b': S('x') } } },
    { ':v': S('x') },
    { '#m': 'm.x', '#a': 'a b' },
  ),
  becomes('SET a = :empty', {}, { a: S('') }, { ':empty': S('') }),
  becomes('SET a = (b + :one)', { b: N('1') }, { a: N('2'), b: N('1') }, { ':one': N('1') }),
]);

runCases('REMOVE', [
  becomes('REMOVE a', { a: S('x'), b: S('y') }, { b: S('y') }),
  becomes('REMOVE a, b', { a: S('x'), b: S('y') }, {}),
  becomes('REMOVE nothing', { a: S('x') }, { a: S('x') }),
  becomes('REMOVE m.a', { m: { M: { a: S('x'), b: S('y') } } }, { m: { M: { b: S('y') } } }),
  becomes('REMOVE m.nothing', { m: { M: { b: S('y') } } }, { m: { M: { b: S('y') } } }),
  becomes('REMOVE l[1]', { l: L(S('a'), S('b'), S('c')) }, { l: L(S('a'), S('c')) }),
  becomes('REMOVE l[0], l[2]', { l: L(S('a'), S('b'), S('c')) }, { l: L(S('b')) }),
  becomes('REMOVE l[7]', { l: L(S('a')) }, { l: L(S('a')) }),
  becomes('REMOVE a SET b = a', { a: S('x') }, { b: S('x') }),
]);

runCases(
  'ADD and DELETE',
  [
    becomes('ADD n :one', null, { n: N('1') }, { ':one': N('1') }),
    becomes('ADD n :one', { n: N('41') }, { n: N('42') }, { ':one': N('1') }),
    becomes('ADD n :minus', { n: N('1') }, { n: N('-0.5') }, { ':minus': N('-1.5') }),
    becomes('ADD s :s', null, { s: { SS: ['a'] } }, { ':s': { SS: ['a'] } }),
    becomes('ADD s :s', { s: { SS: ['b'] } }, { s: { SS: ['a', 'b'] } }, { ':s': { SS: ['a', 'b'] } }),
    becomes('ADD s :s', { s: { NS: ['2'] } }, { s: { NS: ['1', '2'] } }, { ':s': { NS: ['2.0', '1'] } }),
    becomes('ADD m.n :one', { m: { M: {} } }, { m: { M: { n: N('1') } } }, { ':one': N('1') }),
    becomes('ADD n :one, o :one', { n: N('1') }, { n: N('2'), o: N('1') }, { ':one': N('1') }),
    becomes('DELETE s :s', { s: { SS: ['a', 'b'] } }, { s: { SS: ['b'] } }, { ':s': { SS: ['a', 'z'] } }),
    becomes('DELETE s :s', { s: { SS: ['a'] } }, {}, { ':s': { SS: ['a'] } }),
    becomes('DELETE nothing :s', { a: S('x') }, { a: S('x') }, { ':s': { SS: ['a'] } }),
    becomes('DELETE s :s', { s: { NS: ['1', '2'] } }, { s: { NS: ['2'] } }, { ':s': { NS: ['1.00'] } }),
    becomes(
      'SET a = :v REMOVE b ADD n :one DELETE s :s',
      { b: S('x'), s: { SS: ['p', 'q'] } },
      { a: S('x'), n: N('1'), s: { SS: ['q'] } },
      { ':v': S('x'), ':one': N('1'), ':s': { SS: ['p'] } },
    ),
    becomes('ADD n :one SET a = n', { n: N('1') }, { n: N('2'), a: N('1') }, { ':one': N('1') }),
  ].map((one, index) => ({ ...one, name: `${one.name} (${index})` })),
);

// Faults of the request itself, found before the table is looked up: with the envelope.
const bad = (expression, message, values, names) => ({
  name: expression.length > 70 ? `${expression.slice(0, 70)}...` : expression || '(empty)',
  operation: 'UpdateItem',
  input: {
    TableName: kAbsent,
    Key: { pk: S('x') },
    UpdateExpression: expression,
    ExpressionAttributeValues: values,
    ExpressionAttributeNames: names,
  },
  expect: refused(one(`Invalid UpdateExpression: ${message}`)),
});
const syntax = (expression, token, near) => bad(expression, `Syntax error; token: "${token}", near: "${near}"`);
const v = { ':v': S('x') };
const overlap = (first, second) =>
  `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${first}], path two: [${second}]`;
const conflict = (first, second) =>
  `Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [${first}], path two: [${second}]`;
runCases('updates that do not parse', [
  bad('', 'The expression can not be empty;'),
  syntax('INVALID SYNTAX HERE', 'INVALID', 'INVALID SYNTAX'),
  syntax('SET', '<EOF>', 'SET'),
  syntax('SET a', '<EOF>', 'a'),
  syntax('SET a =', '<EOF>', '='),
  syntax('SET a = :v,', '<EOF>', ','),
  syntax('SET a :v', ':v', 'a :v'),
  syntax('SET a = :v b = :v', 'b', ':v b ='),
  syntax('SET a == :v', '=', '== :v'),
  syntax('ADD hits : incr', ':', 'hits : incr'),
  syntax('ADD a', '<EOF>', 'a'),
  syntax('ADD a = :v', '=', 'a = :v'),
  syntax('REMOVE a.b.', '<EOF>', '.'),
  syntax('REMOVE a[', '<EOF>', '['),
  syntax('REMOVE a[x]', 'x', '[x]'),
  syntax('SET a = :v + :v + :v', '+', ':v + :v'),
  syntax('SET a = if_not_exists(a :v)', ':v', 'a :v)'),
  syntax('SET _something = :v', '_', 'SET _something'),
  syntax('DELETE a, b :v', ',', 'a, b'),
]);
runCases('updates that parse and are refused', [
  bad('SET a = :nope', 'An expression attribute value used in expression is not defined; attribute value: :nope'),
  bad(
    'SET #nope = :v',
    'An expression attribute name used in the document path is not defined; attribute name: #nope',
    v,
  ),
  bad('SET name = :v', 'Attribute name is a reserved keyword; reserved keyword: name', v),
  bad('REMOVE a.status', 'Attribute name is a reserved keyword; reserved keyword: status'),
  bad('SET a = nosuch(a)', 'Invalid function name; function: nosuch'),
  bad('SET a = size(b)', 'The function is not allowed in an update expression; function: size'),
  bad('SET a = contains(b, c)', 'The function is not allowed in an update expression; function: contains'),
  bad('SET a = :v SET b = :v', 'The "SET" section can only be used once in an update expression;', v),
  bad('REMOVE a ADD n :v REMOVE b', 'The "REMOVE" section can only be used once in an update expression;', {
    ':v': N('1'),
  }),
  bad('SET a = :v, a = :v', overlap('a', 'a'), v),
  bad('SET a = :v REMOVE a', overlap('a', 'a'), v),
  bad('SET a.b = :v, a = :v', overlap('a, b', 'a'), v),
  bad('SET a = :v REMOVE a.b[0]', overlap('a', 'a, b, [0]'), v),
  bad('SET a[1] = :v, a[1].c = :v', overlap('a, [1]', 'a, [1], c'), v),
  bad('SET a.b = :v, a[1] = :v', conflict('a, b', 'a, [1]'), v),
  bad('SET #x = :v, #y = :v', overlap('a', 'a'), v, { '#x': 'a', '#y': 'a' }),
  bad(
    'ADD a :v',
    'Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND',
    v,
  ),
  bad(
    'ADD a :v ',
    'Incorrect operand type for operator or function; operator: ADD, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND',
    { ':v': L() },
  ),
  bad(
    'ADD  a :v',
    'Incorrect operand type for operator or function; operator: ADD, operand type: BOOLEAN, typeSet: ALLOWED_FOR_ADD_OPERAND',
    { ':v': { BOOL: true } },
  ),
  bad(
    'DELETE a :v',
    'Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND',
    { ':v': N('1') },
  ),
  bad(
    'DELETE a  :v',
    'Incorrect operand type for operator or function; operator: DELETE, operand type: MAP, typeSet: ALLOWED_FOR_DELETE_OPERAND',
    { ':v': { M: {} } },
  ),
  bad('SET a = b + :v', 'Incorrect operand type for operator or function; operator or function: +, operand type: S', v),
  bad('SET a = :v - b', 'Incorrect operand type for operator or function; operator or function: -, operand type: S', v),
  bad(
    'SET a = list_append(b, :v)',
    'Incorrect operand type for operator or function; operator or function: list_append, operand type: S',
    v,
  ),
  bad(
    'SET a = list_append(b)',
    'Incorrect number of operands for operator or function; operator or function: list_append, number of operands: 1',
  ),
  bad(
    'SET a = if_not_exists(a)',
    'Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1',
  ),
  bad(
    'SET a = if_not_exists(:v, :v)',
    'Operator or function requires a document path; operator or function: if_not_exists',
    v,
  ),
]);
runCases('which fault of an update is reported', [
  bad('SET name = nosuch(:nope)', 'Attribute name is a reserved keyword; reserved keyword: name'),
  bad('SET a = nosuch(:nope) SET b = :nope', 'Invalid function name; function: nosuch'),
  bad('SET a = :nope SET b = :nope', 'The "SET" section can only be used once in an update expression;'),
  bad(
    'SET #nope = :nope',
    'An expression attribute name used in the document path is not defined; attribute name: #nope',
  ),
  bad('SET a = :nope, a = :nope', overlap('a', 'a')),
  bad('SET a = :v, a = b + :v', overlap('a', 'a'), v),
  {
    name: 'the update is parsed before the condition',
    operation: 'UpdateItem',
    input: { TableName: kAbsent, Key: { pk: S('x') }, UpdateExpression: 'SET', ConditionExpression: '(' },
    expect: refused(one('Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "SET"')),
  },
  {
    name: 'a missing table is found after the request is sound',
    operation: 'UpdateItem',
    input: { TableName: kAbsent, Key: { pk: S('x') }, UpdateExpression: 'SET a = :v', ExpressionAttributeValues: v },
    expect: kNoTable,
  },
  {
    name: 'an unused name',
    operation: 'UpdateItem',
    input: {
      TableName: kAbsent,
      Key: { pk: S('x') },
      UpdateExpression: 'SET a = :v',
      ExpressionAttributeValues: v,
      ExpressionAttributeNames: { '#unused': 'a' },
    },
    expect: refused(one('Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}')),
  },
  {
    name: 'an unused value',
    operation: 'UpdateItem',
    input: { TableName: kAbsent, Key: { pk: S('x') }, UpdateExpression: 'REMOVE a', ExpressionAttributeValues: v },
    expect: refused(one('Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}')),
  },
]);

const expressionOf = (target) => {
  let text = 'SET ';
  for (let index = 0; text.length < target - 30; index++) text += `a${index} = :v, `;
  return `${text}final_one${' '.repeat(target - text.length - 14)} = :v`;
};
runCases('limits of an update', [
  {
    name: '4096 bytes',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('update of 4096') },
      UpdateExpression: expressionOf(4096),
      ExpressionAttributeValues: v,
    },
    expect: { output: {} },
  },
  bad(expressionOf(4097), 'Expression size has exceeded the maximum allowed size;', v),
]);

// Faults that need the schema or the stored item: without the envelope.
const fault = (name, expression, from, message, values) => {
  const pk = S(`fault ${serial++}`);
  return {
    name,
    operation: 'UpdateItem',
    before: from === null ? [] : [['PutItem', { TableName: kHash, Item: { pk, ...from } }]],
    input: { TableName: kHash, Key: { pk }, UpdateExpression: expression, ExpressionAttributeValues: values },
    expect: refused(message),
    after: [
      [
        'GetItem',
        { TableName: kHash, Key: { pk }, ConsistentRead: true },
        from === null ? exact({}) : { Item: exact({ pk, ...from }) },
      ],
    ],
  };
};
const kWrongType = 'An operand in the update expression has an incorrect data type';
const kNoAttribute = 'The provided expression refers to an attribute that does not exist in the item';
const kWrongPath = 'The document path provided in the update expression is invalid for update';
const keyPart = (name) => `${kInvalid}Cannot update attribute ${name}. This attribute is part of the key`;
runCases('updates that the item or the schema refuses', [
  fault('adding to a string', 'SET n = n + :one', { n: S('x') }, kWrongType, { ':one': N('1') }),
  fault('ADD to a string', 'ADD n :one', { n: S('x') }, kWrongType, { ':one': N('1') }),
  fault('ADD of a set to a number', 'ADD n :s', { n: N('1') }, kWrongType, { ':s': { SS: ['a'] } }),
  fault('ADD of a set of another type', 'ADD n :s', { n: { NS: ['1'] } }, kWrongType, { ':s': { SS: ['a'] } }),
  fault('DELETE from a number', 'DELETE n :s', { n: N('1') }, kWrongType, { ':s': { SS: ['a'] } }),
  fault('list_append to a string', 'SET l = list_append(l, :l)', { l: S('x') }, kWrongType, { ':l': L() }),
  fault('an absent operand', 'SET a = b', { c: S('x') }, kNoAttribute),
  fault('an absent operand of an absent item', 'SET n = n + :one', null, kNoAttribute, { ':one': N('1') }),
  fault('an absent list', 'SET l = list_append(l, :l)', {}, kNoAttribute, { ':l': L() }),
  fault('a path through nothing', 'SET a.b = :v', {}, kWrongPath, v),
  fault('a path through a string', 'SET a.b = :v', { a: S('x') }, kWrongPath, v),
  fault('an index into a map', 'SET a[0] = :v', { a: { M: {} } }, kWrongPath, v),
  fault('a name in a list', 'SET a.b = :v', { a: L() }, kWrongPath, v),
  fault('REMOVE through nothing', 'REMOVE a.b', {}, kWrongPath),
  fault('the key', 'SET pk = :v', null, keyPart('pk'), v),
  fault('removing the key', 'REMOVE pk', null, keyPart('pk')),
  fault('adding to the key', 'ADD pk :one', null, keyPart('pk'), { ':one': N('1') }),
  fault(
    'a sum past the range',
    'SET n = n + :n',
    { n: N(`99${'0'.repeat(124)}`) },
    'Number overflow. Attempting to store a number with magnitude larger than supported range',
    { ':n': N('9.9E125') },
  ),
  fault(
    'a sum past 38 digits',
    'SET n = n + :n',
    { n: N(`1${'0'.repeat(30)}`) },
    'Attempting to store more than 38 significant digits in a Number',
    { ':n': N('1E-30') },
  ),
  {
    name: 'the sort key',
    operation: 'UpdateItem',
    input: {
      TableName: kPair,
      Key: { pk: S('x'), sk: S('y') },
      UpdateExpression: 'SET sk = :v',
      ExpressionAttributeValues: v,
    },
    expect: refused(keyPart('sk')),
  },
  {
    name: 'an index key of another type',
    operation: 'UpdateItem',
    input: {
      TableName: kIndexed,
      Key: { pk: S('x'), sk: S('y') },
      UpdateExpression: 'SET gh = :n',
      ExpressionAttributeValues: { ':n': N('1') },
    },
    expect: refused(`${kInvalid}Type mismatch for Index Key gh Expected: S Actual: N IndexName: gsi-all`),
  },
  {
    name: 'a key of the wrong shape',
    operation: 'UpdateItem',
    input: { TableName: kPair, Key: { pk: S('x') }, UpdateExpression: 'SET a = :v', ExpressionAttributeValues: v },
    expect: refused('The provided key element does not match the schema'),
  },
]);

// Every form of ReturnValues, on an item that exists and on one that does not.
const returned = (ReturnValues, expression, from, attributes, values) => {
  const pk = S(`returned ${serial++}`);
  const expected = attributes === absent ? absent : exact(attributes(pk));
  return {
    name: `${ReturnValues} of ${expression}${from === null ? ' on nothing' : ''}`,
    operation: 'UpdateItem',
    before: from === null ? [] : [['PutItem', { TableName: kHash, Item: { pk, ...from } }]],
    input: {
      TableName: kHash,
      Key: { pk },
      UpdateExpression: expression,
      ExpressionAttributeValues: values,
      ReturnValues,
    },
    expect: { output: { Attributes: expected } },
  };
};
const old = { a: S('old'), b: S('kept'), m: { M: { x: N('1'), y: N('2') } }, l: L(S('p'), S('q')) };
runCases('what UpdateItem returns', [
  returned('NONE', 'SET a = :v', old, absent, v),
  returned('ALL_OLD', 'SET a = :v', old, (pk) => ({ pk, ...old }), v),
  returned('ALL_NEW', 'SET a = :v', old, (pk) => ({ pk, ...old, a: S('x') }), v),
  returned('UPDATED_OLD', 'SET a = :v', old, () => ({ a: S('old') }), v),
  returned('UPDATED_NEW', 'SET a = :v', old, () => ({ a: S('x') }), v),
  returned('UPDATED_OLD', 'SET m.x = :v', old, () => ({ m: { M: { x: N('1') } } }), v),
  returned('UPDATED_NEW', 'SET m.x = :v, m.z = :v', old, () => ({ m: { M: { x: S('x'), z: S('x') } } }), v),
  returned('UPDATED_NEW', 'SET l[1] = :v', old, () => ({ l: L(S('x')) }), v),
  returned('UPDATED_OLD', 'SET fresh = :v', old, absent, v),
  returned('UPDATED_NEW', 'REMOVE a', old, absent),
  returned('UPDATED_OLD', 'REMOVE a', old, () => ({ a: S('old') })),
  returned('ALL_OLD', 'SET a = :v', null, absent, v),
  returned('UPDATED_OLD', 'SET a = :v', null, absent, v),
  returned('ALL_NEW', 'SET a = :v', null, (pk) => ({ pk, a: S('x') }), v),
  returned('UPDATED_NEW', 'SET a = :v', null, () => ({ a: S('x') }), v),
  returned('UPDATED_NEW', 'ADD n :one', null, () => ({ n: N('1') }), { ':one': N('1') }),
  {
    name: 'no update at all creates the item',
    operation: 'UpdateItem',
    input: { TableName: kHash, Key: { pk: S('bare update') }, ReturnValues: 'ALL_NEW' },
    expect: { output: { Attributes: exact({ pk: S('bare update') }) } },
    after: [
      ['GetItem', { TableName: kHash, Key: { pk: S('bare update') } }, { Item: exact({ pk: S('bare update') }) }],
    ],
  },
]);

runCases('UpdateItem under a condition', [
  {
    name: 'holds',
    operation: 'UpdateItem',
    before: [['PutItem', { TableName: kHash, Item: { pk: S('cond 1'), n: N('1') } }]],
    input: {
      TableName: kHash,
      Key: { pk: S('cond 1') },
      UpdateExpression: 'SET n = n + :one',
      ConditionExpression: 'n = :one',
      ExpressionAttributeValues: { ':one': N('1') },
      ReturnValues: 'UPDATED_NEW',
    },
    expect: { output: { Attributes: exact({ n: N('2') }) } },
  },
  {
    name: 'fails, and nothing changes',
    operation: 'UpdateItem',
    before: [['PutItem', { TableName: kHash, Item: { pk: S('cond 2'), n: N('1') } }]],
    input: {
      TableName: kHash,
      Key: { pk: S('cond 2') },
      UpdateExpression: 'SET n = :two',
      ConditionExpression: 'n = :two',
      ExpressionAttributeValues: { ':two': N('2') },
    },
    expect: { ...kConditionFailed, item: absent },
    after: [
      ['GetItem', { TableName: kHash, Key: { pk: S('cond 2') } }, { Item: exact({ pk: S('cond 2'), n: N('1') }) }],
    ],
  },
  {
    name: 'fails, and the old item comes with the error',
    operation: 'UpdateItem',
    before: [['PutItem', { TableName: kHash, Item: { pk: S('cond 3'), n: N('1') } }]],
    input: {
      TableName: kHash,
      Key: { pk: S('cond 3') },
      UpdateExpression: 'SET n = :two',
      ConditionExpression: 'n = :two',
      ExpressionAttributeValues: { ':two': N('2') },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
    expect: { ...kConditionFailed, item: exact({ pk: S('cond 3'), n: N('1') }) },
  },
  {
    name: 'fails on an item that is not there',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('cond 4') },
      UpdateExpression: 'SET n = :two',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':two': N('2') },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
    expect: { ...kConditionFailed, item: absent },
    after: [['GetItem', { TableName: kHash, Key: { pk: S('cond 4') } }, exact({})]],
  },
  {
    name: 'the condition is judged before the update',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('cond 5') },
      UpdateExpression: 'SET a.b = :v',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: v,
    },
    expect: kConditionFailed,
  },
]);

runCases('an update of nothing, and functions inside functions', [
  ...['REMOVE x.y', 'REMOVE x[0]', 'REMOVE a, x.y', 'DELETE x.y :s'].map((UpdateExpression) => ({
    name: `${UpdateExpression} where there is no item`,
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S(`nothing ${UpdateExpression}`) },
      UpdateExpression,
      ExpressionAttributeValues: UpdateExpression.includes(':s') ? { ':s': { SS: ['a'] } } : undefined,
    },
    expect: { output: {} },
    after: [['GetItem', { TableName: kHash, Key: { pk: S(`nothing ${UpdateExpression}`) } }, { Item: absent }]],
  })),
  {
    name: 'REMOVE x.y beside a SET where there is no item',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('nothing but a set') },
      UpdateExpression: 'SET a = :v REMOVE x.y',
      ExpressionAttributeValues: { ':v': S('x') },
    },
    expect: refused('The document path provided in the update expression is invalid for update'),
  },
  ...[
    'SET a = list_append(list_append(a, :l), :l)',
    'SET a = list_append(:l, list_append(a, :l))',
    'SET a = if_not_exists(a, list_append(b, :l))',
    'SET a = list_append(a, if_not_exists(b, list_append(:l, :l)))',
    'SET a = :l + list_append(b, c)',
  ].map((UpdateExpression) => ({
    name: UpdateExpression,
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('nested functions') },
      UpdateExpression,
      ExpressionAttributeValues: { ':l': { L: [] } },
    },
    expect: refused(
      one(
        'Invalid UpdateExpression: The function is not allowed to be used this way in an expression; function: list_append',
      ),
    ),
  })),
  {
    name: 'SET a = list_append(if_not_exists(a, :l), :l) is taken',
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: S('nested functions') },
      UpdateExpression: 'SET a = list_append(if_not_exists(a, :l), :l)',
      ExpressionAttributeValues: { ':l': { L: [S('x')] } },
    },
    expect: { output: {} },
  },
  ...[
    ['1E+50', 'Number overflow. Attempting to store a number with magnitude larger than supported range'],
    ['1E+30', undefined],
    ['1E+38', 'Number overflow. Attempting to store a number with magnitude larger than supported range'],
  ].map(([n, message]) => ({
    name: `${n} + 1`,
    operation: 'UpdateItem',
    before: [['PutItem', { TableName: kHash, Item: { pk: S(`sum ${n}`), n: N(n) } }]],
    input: {
      TableName: kHash,
      Key: { pk: S(`sum ${n}`) },
      UpdateExpression: 'SET n = n + :one',
      ExpressionAttributeValues: { ':one': N('1') },
    },
    expect: message ? refused(message) : { output: {} },
  })),
]);
