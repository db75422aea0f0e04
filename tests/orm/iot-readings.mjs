// designs/examples/iot-readings.yaml with ElectroDB: readings of devices by time, the last value, expiry.
import { create, epoch, found, refuse, sha256, transactionOf, update } from './calls.mjs';
import { counter, createdAt, entityOf, gsi, newId, number, tableKey, text } from './schema.mjs';

const entity = entityOf('readings');
const Device = entity(
  'Device',
  { device: newId, site: text, model: text, secretHash: text, installedAt: createdAt },
  { primary: tableKey('DEVICE#${device}', 'DEVICE'), ofSite: gsi('GSI1', 'SITE#${site}', 'DEVICE#${device}') },
);
const Latest = entity(
  'Latest',
  { device: text, at: text, celsius: number, humidity: { type: 'number' } },
  { primary: tableKey('DEVICE#${device}', 'LATEST') },
);
const Reading = entity(
  'Reading',
  {
    device: text,
    day: text,
    at: text,
    readingId: newId,
    celsius: number,
    humidity: { type: 'number' },
    hour: text,
    ttl: { ...number, hidden: true },
  },
  { primary: tableKey('DEVICE#${device}#${day}', '${at}#${readingId}') },
);
const HourlyFigures = entity(
  'HourlyFigures',
  { device: text, hour: text, readings: counter, celsius: counter },
  { primary: tableKey('DEVICE#${device}', 'HOUR#${hour}') },
);
const transact = transactionOf({ Device, Latest });
const unexpired = ({ ttl }, { gt }) => gt(ttl, epoch());

export const device = ({ device }) => found(Device.get({ device }).go());
export const devicesOf = ({ site }, page) => Device.query.ofSite({ site }).go(page);
export const latest = ({ device }) => found(Latest.get({ device }).go());
export const day = ({ device, day }, page) => Reading.query.primary({ device, day }).where(unexpired).go(page);
export const between = ({ device, day, from = '', to = 'Z' }, page) =>
  Reading.query.primary({ device, day }).between({ at: from }, { at: to, readingId: 'Z' }).where(unexpired).go(page);
export const hours = ({ device, from = '', to = 'Z' }, page) =>
  HourlyFigures.query.primary({ device }).between({ hour: from }, { hour: to }).go(page);

export async function averageOf({ device, hour }) {
  const { readings, celsius } = await found(HourlyFigures.get({ device, hour }).go());
  return readings > 0 ? { readings, average: celsius / readings } : refuse(404);
}

export const install = ({ secret, ...fields }) => create(Device.create({ ...fields, secretHash: sha256(secret) }));
export const move = ({ device, site }) => update(Device.patch({ device }).set({ site }));

export async function record({ device, at, celsius, humidity }) {
  await found(Device.get({ device }).go());
  const [day, hour] = [at.slice(0, 10), `${at.slice(0, 10)}-${at.slice(11, 13)}`];
  const ttl = Math.floor(Date.parse(at) / 1000) + 90 * 86400;
  const reading = await create(Reading.create({ device, day, at, celsius, humidity, hour, ttl }));
  await Latest.put({ device, at, celsius, humidity })
    .where((last, { lt, notExists }) => `${notExists(last.at)} OR ${lt(last.at, at)}`)
    .go({ returnOnConditionCheckFailure: true });
  return reading;
}

export const remove = ({ device }) => transact([Latest.delete({ device })], [Device.remove({ device }), 404]);
