// designs/examples/online-shop.yaml with ElectroDB: customers, a catalog with stock, orders, reservations.
import { createHash } from 'node:crypto';
import { Service } from 'electrodb';
import { create, epoch, found, now, present, refuse, transactionOf, ulid, update } from './calls.mjs';
import { changedAt, counter, createdAt, entityOf, gsi, newId, number, oneOf, tableKey, text } from './schema.mjs';

const entity = entityOf('shop');
const Customer = entity(
  'Customer',
  { customerId: newId, email: text, name: text, createdAt },
  { primary: { ...tableKey('CUSTOMER#${customerId}', 'CUSTOMER'), collection: 'account' } },
);
const Email = entity(
  'Customer.email',
  { email: text, customerId: text },
  { primary: tableKey('EMAIL#${email}', 'EMAIL#${email}') },
);
const Product = entity(
  'Product',
  { sku: text, title: text, category: text, price: number, stock: counter },
  { primary: tableKey('PRODUCT#${sku}', 'PRODUCT'), byCategory: gsi('GSI1', 'CATEGORY#${category}', '${sku}') },
);
const slots = 8;
const slotOf = (id) => Number(createHash('sha256').update(id).digest().readBigUInt64BE() % BigInt(slots));
const Order = entity(
  'Order',
  {
    customerId: text,
    orderId: newId,
    status: oneOf(['open', 'placed', 'paid', 'shipped', 'delivered', 'cancelled'], 'open'),
    slot: { type: 'number', hidden: true, watch: ['orderId'], set: (_, { orderId }) => slotOf(orderId) },
    lines: counter,
    createdAt,
    changedAt,
  },
  {
    primary: { ...tableKey('CUSTOMER#${customerId}', 'ORDER#${orderId}'), collection: 'account' },
    byStatus: gsi('GSI1', 'STATUS#${status}#${slot}', '${orderId}'),
  },
);
const OrderLine = entity(
  'OrderLine',
  { orderId: text, customerId: text, sku: text, title: text, price: number, quantity: number, amount: number },
  { primary: tableKey('ORDER#${orderId}', 'LINE#${sku}') },
);
const Reservation = entity(
  'Reservation',
  {
    sku: text,
    reservationId: newId,
    customerId: text,
    quantity: number,
    until: number,
    ttl: { type: 'number', hidden: true, watch: ['until'], set: (_, { until }) => until },
  },
  { primary: tableKey('PRODUCT#${sku}', 'RESERVED#${reservationId}') },
);
const transact = transactionOf({ Customer, Email, Product, Order, OrderLine, Reservation });
const accounts = new Service({ Customer, Order });
const cents = (amount) => Math.round(amount * 100) / 100;

export const customer = ({ customerId }) => found(Customer.get({ customerId }).go());
export const account = ({ customerId }, page) =>
  accounts.collections.account({ customerId }).go({ order: 'desc', limit: 20, ...page });
export const customerByEmail = async ({ email }) =>
  customer(await found(Email.get({ email: email.toLowerCase() }).go()));
export const product = ({ sku }) => found(Product.get({ sku }).go());
export const productsOf = ({ category }, page) => Product.query.byCategory({ category }).go(page);
export const orders = ({ customerId }, page) => Order.query.primary({ customerId }).go({ order: 'desc', ...page });

// The newest orders of all slots; pass `next` as `before` to continue.
export async function ordersByStatus({ status }, { limit = 100, before = 'Z' } = {}) {
  const query = (slot) => Order.query.byStatus({ status, slot }).lt({ orderId: before }).go({ order: 'desc', limit });
  const pages = await Promise.all(Array.from({ length: slots }, (_, slot) => query(slot)));
  const all = pages.flatMap(({ data }) => data).sort((one, other) => (one.orderId < other.orderId ? 1 : -1));
  return { data: all.slice(0, limit), next: all[limit - 1]?.orderId };
}

export async function order({ customerId, orderId }) {
  const [order, { data: lines }] = await Promise.all([
    found(Order.get({ customerId, orderId }).go()),
    OrderLine.query.primary({ orderId }).go({ pages: 'all' }),
  ]);
  return { order, lines, total: cents(lines.reduce((sum, { amount }) => sum + amount, 0)) };
}

export async function createCustomer({ email, name }) {
  const item = { customerId: ulid(), email: email.toLowerCase(), name, createdAt: now() };
  await transact([Customer.create(item)], [Email.create({ email: item.email, customerId: item.customerId })]);
  return item;
}

export async function updateCustomer({ customerId, email, name }) {
  const known = await found(Customer.get({ customerId }).go({ consistent: true }));
  const item = { ...known, email: email?.toLowerCase() ?? known.email, name: name ?? known.name };
  const changed = Customer.patch({ customerId }).set({ email: item.email, name: item.name });
  const guards = [[Email.remove({ email: known.email })], [Email.create({ email: item.email, customerId })]];
  await transact(
    [changed.where((customer, { eq }) => eq(customer.email, known.email))],
    ...(item.email === known.email ? [] : guards),
  );
  return item;
}

export const createProduct = ({ sku, title, category, price }) =>
  create(Product.create({ sku, title, category, price }));
export const reprice = ({ sku, price }) => update(Product.patch({ sku }).set({ price }));
export const receiveStock = ({ sku, quantity }) => update(Product.patch({ sku }).add({ stock: quantity }));
export const returnStock = receiveStock;

export async function openOrder({ customerId }) {
  const item = { customerId, orderId: ulid(), status: 'open', lines: 0, createdAt: now(), changedAt: now() };
  await transact([Customer.check({ customerId }).where(present('customerId')), 404], [Order.create(item)]);
  return item;
}

const takeStock = (sku, quantity) => [
  Product.patch({ sku })
    .add({ stock: -quantity })
    .where(({ stock }, { gte }) => gte(stock, quantity)),
  409,
  'There is not enough stock.',
];
const giveStock = (sku, quantity) => [Product.patch({ sku }).add({ stock: quantity })];
const newLine = (key, { sku, title, price }, quantity) =>
  OrderLine.create({ ...key, sku, title, price, quantity, amount: cents(price * quantity) });

export async function addLine({ customerId, orderId, sku, quantity }) {
  const product = await found(Product.get({ sku }).go());
  const count = Order.patch({ customerId, orderId })
    .add({ lines: 1 })
    .where(({ status, lines }, { eq, lt }) => `${eq(status, 'open')} AND ${lt(lines, 40)}`);
  await transact(
    takeStock(sku, quantity),
    [count, 409, 'The order is not open or is full.'],
    [newLine({ customerId, orderId }, product, quantity), 409, 'The order has this product already.'],
  );
  return { sku, quantity };
}

export async function removeLine({ customerId, orderId, sku }) {
  const { quantity } = await found(OrderLine.get({ orderId, sku }).go({ consistent: true }));
  const count = Order.patch({ customerId, orderId })
    .add({ lines: -1 })
    .where(({ status }, { eq }) => eq(status, 'open'));
  await transact([count, 409, 'The order is not open.'], giveStock(sku, quantity), [
    OrderLine.remove({ orderId, sku }).where((line, { eq }) => eq(line.quantity, quantity)),
  ]);
}

const move = ({ customerId, orderId }, to) =>
  Order.patch({ customerId, orderId })
    .set({ status: to })
    .composite({ slot: slotOf(orderId) });
const moveFrom = (from, to) => (key) => update(move(key, to).where(({ status }, { eq }) => eq(status, from)));
export const place = (key) =>
  update(
    move(key, 'placed').where(({ status, lines }, { eq, gt }) => `${eq(status, 'open')} AND ${gt(lines, 0)}`),
    409,
    'Only an open order with lines can be placed.',
  );
export const pay = moveFrom('placed', 'paid');
export const ship = moveFrom('paid', 'shipped');
export const deliver = moveFrom('shipped', 'delivered');

export async function buy({ customerId, lines }) {
  if (new Set(lines.map(({ sku }) => sku)).size < lines.length) refuse(400, 'A product is there twice.');
  const products = await Promise.all(
    lines.map(({ sku }) => found(Product.get({ sku }).go(), 404, 'There is no such product.')),
  );
  const orderId = ulid();
  await transact(
    [Customer.check({ customerId }).where(present('customerId')), 404, 'There is no such customer.'],
    [Order.create({ customerId, orderId, status: 'placed', lines: lines.length })],
    ...lines.flatMap(({ sku, quantity }, index) => [
      takeStock(sku, quantity),
      [newLine({ customerId, orderId }, products[index], quantity)],
    ]),
  );
  return { orderId };
}

export async function cancel({ customerId, orderId }) {
  const { data: lines } = await OrderLine.query.primary({ orderId }).go({ pages: 'all', consistent: true });
  const cancelled = move({ customerId, orderId }, 'cancelled')
    .add({ lines: -lines.length })
    .where((order, { eq }) => {
      const may = ['open', 'placed', 'paid'].map((status) => eq(order.status, status)).join(' OR ');
      return `(${may}) AND ${eq(order.lines, lines.length)}`;
    });
  await transact(
    [cancelled],
    ...lines.flatMap(({ sku, quantity }) => [giveStock(sku, quantity), [OrderLine.remove({ orderId, sku })]]),
  );
}

export async function reserve({ customerId, sku, quantity }) {
  const item = { sku, reservationId: ulid(), customerId, quantity, until: epoch() + 15 * 60 };
  await transact(takeStock(sku, quantity), [Reservation.create(item)]);
  return item;
}

export async function collect({ sku, reservationId }) {
  const ended = [410, 'The reservation has ended.'];
  const held = Reservation.get({ sku, reservationId }).go({ consistent: true });
  const { customerId, quantity, until } = await found(held, ...ended);
  if (until <= epoch()) refuse(...ended);
  const product = await found(Product.get({ sku }).go());
  const orderId = ulid();
  await transact(
    [Reservation.remove({ sku, reservationId }).where(({ until }, { gt }) => gt(until, epoch())), ...ended],
    [Order.create({ customerId, orderId, status: 'placed', lines: 1 })],
    [newLine({ customerId, orderId }, product, quantity)],
  );
  return { orderId };
}
