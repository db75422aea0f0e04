// designs/examples/chat.yaml with ElectroDB: rooms with members and unread counts.
import { create, found, now, present, remove, transactionOf, ulid, update } from './calls.mjs';
import { counter, createdAt, entityOf, gsi, newId, oneOf, optionalText, tableKey, text } from './schema.mjs';

const entity = entityOf('chat');
const Room = entity(
  'Room',
  { room: newId, title: text, messages: counter, members: counter, createdAt },
  { primary: tableKey('ROOM#${room}', 'ROOM') },
);
const Member = entity(
  'Member',
  { room: text, user: text, role: oneOf(['owner', 'member'], 'member'), read: counter, joinedAt: createdAt },
  { primary: tableKey('ROOM#${room}', 'MEMBER#${user}'), ofUser: gsi('GSI1', 'USER#${user}', 'ROOM#${room}') },
);
const Message = entity(
  'Message',
  { room: text, messageId: newId, author: text, text, editedAt: optionalText },
  { primary: tableKey('ROOM#${room}', 'MESSAGE#${messageId}') },
);
const transact = transactionOf({ Room, Member, Message });

export const room = ({ room }) => found(Room.get({ room }).go());
export const members = ({ room }, page) => Member.query.primary({ room }).go(page);
export const roomsOf = ({ user }, page) => Member.query.ofUser({ user }).go(page);
export const messages = ({ room }, page) => Message.query.primary({ room }).go({ order: 'desc', ...page });
export const messagesSince = ({ room, from = '', to = 'Z' }, page) =>
  Message.query.primary({ room }).between({ messageId: from }, { messageId: to }).go(page);

export async function unread({ room, user }) {
  const [{ messages }, { read }] = await Promise.all([
    found(Room.get({ room }).go()),
    found(Member.get({ room, user }).go()),
  ]);
  return { unread: messages - read, messages };
}

export async function createRoom({ title, owner }) {
  const room = ulid();
  await transact([Room.create({ room, title })], [Member.create({ room, user: owner, role: 'owner' })]);
  return { room };
}

export const rename = ({ room, title }) => update(Room.patch({ room }).set({ title }));

export async function join({ room, user }) {
  const { messages } = await found(Room.get({ room }).go());
  return create(Member.create({ room, user, read: messages }));
}

export const leave = ({ room, user }) => remove(Member.remove({ room, user }));

export async function post({ room, author, text }) {
  const message = { room, messageId: ulid(), author, text };
  await transact([Member.check({ room, user: author }).where(present('user')), 403], [Message.create(message)]);
  return message;
}

export const edit = ({ room, messageId, author, text }) =>
  update(
    Message.patch({ room, messageId })
      .set({ text, editedAt: now() })
      .where((message, { eq }) => eq(message.author, author)),
    403,
  );

export const deleteMessage = ({ room, messageId }) => remove(Message.remove({ room, messageId }));

export async function markRead({ room, user }) {
  const { messages } = await found(Room.get({ room }).go());
  return update(Member.patch({ room, user }).set({ read: messages }));
}

export async function closeRoom({ room }) {
  for (const Child of [Message, Member]) {
    let cursor;
    do {
      const page = await Child.query.primary({ room }).go({ cursor });
      for (let left = page.data; left.length > 0; ) left = (await Child.delete(left).go()).unprocessed;
      cursor = page.cursor;
    } while (cursor);
  }
  return remove(Room.remove({ room }));
}
