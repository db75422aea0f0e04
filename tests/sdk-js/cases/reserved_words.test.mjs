// Words that an expression may not use as a name without a placeholder, in upper or lower case.
import { runCases, refused } from '../harness/cases.mjs';
import { exact } from '../harness/match.mjs';
import { kAbsent, kHash } from '../harness/tables.mjs';

const Key = { pk: { S: 'reserved words' } };
const reserved =
  `ABORT ACTION ALL AND ANY AS ATTRIBUTE BATCH BETWEEN BINARY BY CAPACITY COMMENT CONDITION CONNECTION COUNT
  COUNTER DATA DATE DOMAIN EXISTS FROM FUNCTION GROUP HASH HIDDEN IF IN INDEX INNER ITEM ITEMS KEY KEYS LANGUAGE LAST LEVEL
  LIST LOCATION MAP METHOD NAME NAMES NOT NULL NUMBER OR ORDER OTHER OWNER PARTITION PATH PERCENT PLAN POOL POSITION PROJECT RANGE
  REGION ROLE ROW SEGMENT SELECT SESSION SHARD SIZE SOURCE STATE STATUS STORAGE STREAM STRING TABLE TIME TIMESTAMP TOKEN
  TOTAL TTL TYPE URL USER USERS UUID VALUE VALUES VIEW VIEWS WHERE YEAR ZONE`.split(/\s+/);
const allowed = [
  'id',
  'pk',
  'sk',
  'email',
  'price',
  'title',
  'version',
  'created_at',
  'updatedAt',
  'a1',
  'names_',
  'updated',
  'userId',
];
const kOperators = new Set(['AND', 'BETWEEN', 'IN', 'NOT', 'OR']);

const asWritten = [(word) => word, (word) => word.toLowerCase(), (word) => word[0] + word.slice(1).toLowerCase()];
runCases(
  'reserved words',
  reserved
    .filter((word) => !kOperators.has(word))
    .map((word, at) => {
      const text = asWritten[at % 3](word);
      return {
        name: text,
        operation: 'GetItem',
        input: { TableName: kAbsent, Key, ProjectionExpression: `fine, m.${text}` },
        expect: refused(
          `Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: ${text}`,
        ),
      };
    }),
);
runCases(
  'words that are not',
  allowed.map((word) => ({
    name: word,
    operation: 'GetItem',
    input: { TableName: kHash, Key, ProjectionExpression: `m.${word}` },
    expect: { output: exact({}) },
  })),
);
runCases(
  'placeholders for reserved words',
  ['name', 'SIZE', 'and', 'SET'].map((word) => ({
    name: word,
    operation: 'UpdateItem',
    input: {
      TableName: kHash,
      Key: { pk: { S: `reserved ${word}` } },
      UpdateExpression: 'SET #w = :v',
      ExpressionAttributeNames: { '#w': word },
      ExpressionAttributeValues: { ':v': { S: 'x' } },
      ReturnValues: 'UPDATED_NEW',
    },
    expect: { output: { Attributes: exact({ [word]: { S: 'x' } }) } },
  })),
);
