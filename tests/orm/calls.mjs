// Times and ids, reads and writes that fail with a status, and transactions.
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createWriteTransaction } from 'electrodb';
import { monotonicFactory } from 'ulid';

export const now = () => new Date().toISOString().replace(/\.\d+/, '');
export const epoch = () => Math.floor(Date.now() / 1000);
export const ulid = monotonicFactory();
export const sha256 = (data) => createHash('sha256').update(data).digest('hex');

class Refused extends Error {
  constructor(status, message = `refused with ${status}`) {
    super(message);
    this.status = status;
  }
}
export function refuse(status, message) {
  throw new Refused(status, message);
}

export const found = async (read, status = 404, message = undefined) => (await read).data ?? refuse(status, message);

export const present =
  (attribute) =>
  (item, { exists }) =>
    exists(item[attribute]);

// A conditional write. `status` is the error if the condition fails on an existing item; a missing item is 404.
const conditional =
  (response) =>
  async (operation, status = 409, message = undefined) => {
    const { rejected, data } = await operation.go({ response, returnOnConditionCheckFailure: 'all_old' });
    return rejected ? refuse(data ? status : 404, message) : data;
  };
export const create = conditional('default');
export const update = conditional('all_new');
export const remove = conditional('all_old');

// Executes all actions or none. Each has an operation, and the status and message with which it fails if its condition
// fails.
export const transactionOf =
  (entities) =>
  async (...actions) => {
    const items = actions.map(([operation]) => operation.commit?.({ response: 'all_old' }) ?? operation);
    for (let attempt = 1; ; ++attempt) {
      const { canceled, data } = await createWriteTransaction(entities, () => items).go();
      if (!canceled) return;
      const failed = data.findIndex(({ code }) => code === 'ConditionalCheckFailed');
      if (failed >= 0) {
        const [, status = 409, message] = actions[failed];
        refuse(items[failed].Update && !data[failed].item ? 404 : status, message);
      }
      if (attempt === 10) throw new Error(`transaction cancelled: ${data.map(({ code }) => code)}`);
      await setTimeout(Math.random() * 10 * 2 ** attempt);
    }
  };

// Retries an operation that conflicted with another writer.
export async function again(times, operation) {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (error.status !== 409 || times-- === 0) throw error;
    }
  }
}
