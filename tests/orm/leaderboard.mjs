// designs/examples/leaderboard.yaml with ElectroDB: each player's best score per board, the top of a board.
import { found, now, remove, transactionOf, ulid, update } from './calls.mjs';
import { counter, createdAt, entityOf, newId, number, tableKey, text } from './schema.mjs';

const entity = entityOf('scores');
const Player = entity(
  'Player',
  { player: newId, name: text, createdAt },
  { primary: tableKey('PLAYER#${player}', 'PLAYER') },
);
const Name = entity('Player.name', { name: text, player: text }, { primary: tableKey('NAME#${name}', 'NAME#${name}') });
const Score = entity(
  'Score',
  { player: text, board: text, name: text, best: number, plays: counter, bestAt: text },
  {
    primary: tableKey('PLAYER#${player}', 'BOARD#${board}'),
    top: {
      index: 'byScore',
      pk: { field: 'board', composite: ['board'], casing: 'none' },
      sk: { field: 'best', composite: ['best'] },
    },
  },
);
const transact = transactionOf({ Player, Name, Score });

export const player = ({ player }) => found(Player.get({ player }).go());
export const playerByName = async ({ name }) => player(await found(Name.get({ name }).go()));
export const score = ({ player, board }) => found(Score.get({ player, board }).go());
export const scoresOf = ({ player }, page) => Score.query.primary({ player }).go(page);
export const top = ({ board }, page) => Score.query.top({ board }).go({ order: 'desc', limit: 10, ...page });
export const between = ({ board, from = 0, to = 1e9 }, page) =>
  Score.query
    .top({ board })
    .between({ best: from }, { best: to })
    .go({ order: 'desc', ...page });

export async function createPlayer({ name }) {
  const item = { player: ulid(), name, createdAt: now() };
  await transact([Player.create(item)], [Name.create({ name, player: item.player })]);
  return item;
}

export async function renamePlayer({ player, name }) {
  const item = await found(Player.get({ player }).go({ consistent: true }));
  if (name === item.name) return item;
  await transact(
    [
      Player.patch({ player })
        .set({ name })
        .where((known, { eq }) => eq(known.name, item.name)),
    ],
    [Name.remove({ name: item.name })],
    [Name.create({ name, player })],
  );
  return { ...item, name };
}

export async function submit({ player, board, points }) {
  const { name } = await found(Player.get({ player }).go());
  const { data: known } = await Score.get({ player, board }).go({ consistent: true });
  const first = { player, board, name, best: points, bestAt: now() };
  if (!known) await Score.create(first).go({ returnOnConditionCheckFailure: true });
  const counted = await update(Score.patch({ player, board }).add({ plays: 1 }));
  if (counted.best >= points) return counted;
  const better = await Score.patch({ player, board })
    .set({ best: points, bestAt: now() })
    .where(({ best }, { lt }) => lt(best, points))
    .go({ response: 'all_new', returnOnConditionCheckFailure: true });
  return better.rejected ? score({ player, board }) : better.data;
}

export const withdraw = ({ player, board }) => remove(Score.remove({ player, board }));
