// Entities of one table with template keys, and their kinds of attributes.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Entity } from 'electrodb';
import { now, ulid } from './calls.mjs';

const client = new DynamoDBClient({});
const composite = (template) => [...template.matchAll(/\$\{(\w+)\}/g)].map(([, attribute]) => attribute);
const key = (field, template) => ({ field, template, composite: composite(template), casing: 'none', cast: 'string' });
export const tableKey = (pk, sk) => ({ pk: key('PK', pk), sk: key('SK', sk) });
export const gsi = (index, pk, sk) => ({ index, pk: key(`${index}PK`, pk), sk: key(`${index}SK`, sk) });
export const entityOf = (table) => (entity, attributes, indexes) =>
  new Entity(
    { model: { entity, version: '1', service: table }, attributes, indexes },
    { client, table, identifiers: { entity: 'Type' } },
  );

export const text = { type: 'string', required: true };
export const optionalText = { type: 'string' };
export const number = { type: 'number', required: true };
export const counter = { type: 'number', required: true, default: 0 };
export const newId = { type: 'string', required: true, default: () => ulid() };
export const createdAt = { type: 'string', required: true, default: now };
export const changedAt = { type: 'string', watch: '*', set: now };
export const oneOf = (values, initial) => ({ type: values, required: true, default: initial });
