// Waits for changes in the background: tables and indexes becoming active, tables being deleted.
import { call } from './client.mjs';

const kPauseMs = 50;
const kTimeoutMs = Number(process.env.TRESTLE_WAIT_MS ?? 300_000);

async function until(what, done) {
  const deadline = Date.now() + kTimeoutMs;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`gave up waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, kPauseMs));
  }
}

export function waitUntilActive(TableName) {
  return until(`${TableName} to be active`, async () => {
    const { Table } = await call('DescribeTable', { TableName });
    const indexes = Table.GlobalSecondaryIndexes ?? [];
    return Table.TableStatus === 'ACTIVE' && indexes.every((index) => index.IndexStatus === 'ACTIVE');
  });
}

export function waitUntilGone(TableName) {
  return until(`${TableName} to be gone`, async () => {
    try {
      await call('DescribeTable', { TableName });
      return false;
    } catch (error) {
      if (error.name === 'ResourceNotFoundException') return true;
      throw error;
    }
  });
}

export async function createTable(input) {
  const reply = await call('CreateTable', input);
  await waitUntilActive(input.TableName);
  return reply;
}

export async function deleteTable(TableName) {
  try {
    await call('DeleteTable', { TableName });
  } catch (error) {
    if (error.name !== 'ResourceNotFoundException') throw error;
  }
}
