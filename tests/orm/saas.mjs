// designs/examples/saas.yaml with ElectroDB: tenants on plans, limited seats, API keys, requests per minute.
import { randomBytes } from 'node:crypto';
import { epoch, found, now, present, refuse, remove, sha256, transactionOf, ulid, update } from './calls.mjs';
import { counter, createdAt, entityOf, gsi, newId, number, oneOf, optionalText, tableKey, text } from './schema.mjs';

const entity = entityOf('saas');
const Tenant = entity(
  'Tenant',
  {
    tenant: text,
    name: text,
    plan: oneOf(['free', 'team', 'business'], 'free'),
    seats: counter,
    seatsMax: { ...number, default: 3 },
    createdAt,
  },
  { primary: tableKey('TENANT#${tenant}', 'TENANT') },
);
const Member = entity(
  'Member',
  { tenant: text, user: newId, email: text, role: oneOf(['owner', 'admin', 'member'], 'member'), joinedAt: createdAt },
  { primary: tableKey('TENANT#${tenant}', 'MEMBER#${user}') },
);
const Email = entity(
  'Member.email',
  { value: text, tenant: text, user: text },
  { primary: tableKey('TENANT#${value}', 'TENANT#${value}') },
);
const Project = entity(
  'Project',
  { tenant: text, projectId: newId, name: text, archived: { type: 'boolean', default: false }, createdAt },
  { primary: tableKey('TENANT#${tenant}', 'PROJECT#${projectId}') },
);
const ApiKey = entity(
  'ApiKey',
  { tenant: text, keyHash: text, label: optionalText, createdAt },
  { primary: tableKey('TENANT#${tenant}', 'KEY#${keyHash}'), byHash: gsi('GSI1', 'KEY#${keyHash}', 'KEY') },
);
const RequestWindow = entity(
  'RequestWindow',
  { tenant: text, slice: number, count: counter, budget: number, ttl: number },
  { primary: tableKey('TENANT#${tenant}', 'WINDOW#${slice}') },
);
const Usage = entity(
  'Usage',
  { tenant: text, month: text, calls: counter },
  { primary: tableKey('TENANT#${tenant}', 'USAGE#${month}') },
);
// A key attribute that is in both keys must be the only attribute of the sort key.
const emailKey = ({ tenant, email }) => ({ value: `${tenant}#EMAIL#${email.toLowerCase()}` });
const transact = transactionOf({ Tenant, Member, Email, Project, ApiKey });
const requestsPerMinute = 60;

export const tenant = ({ tenant }) => found(Tenant.get({ tenant }).go());
export const members = ({ tenant }, page) => Member.query.primary({ tenant }).go(page);
export async function memberByEmail({ tenant, email }) {
  const { user } = await found(Email.get(emailKey({ tenant, email })).go());
  return found(Member.get({ tenant, user }).go());
}
export const projects = ({ tenant }, page) => Project.query.primary({ tenant }).go(page);
export const keys = ({ tenant }, page) => ApiKey.query.primary({ tenant }).go(page);
export const usage = ({ tenant, month }) => found(Usage.get({ tenant, month }).go());

const addMember = ({ tenant, user, email, role }) => [
  [Member.create({ tenant, user, email: email.toLowerCase(), role })],
  [Email.create({ ...emailKey({ tenant, email }), tenant, user })],
];

export async function signUp({ tenant, name, email }) {
  const user = ulid();
  await transact(
    [Tenant.create({ tenant, name, seats: 1 }), 409, 'The name is taken.'],
    ...addMember({ tenant, user, email, role: 'owner' }),
  );
  return { tenant, user };
}

export const changePlan = ({ tenant, plan, seatsMax }) =>
  update(
    Tenant.patch({ tenant })
      .set({ plan, seatsMax })
      .where(({ seats }, { lte }) => lte(seats, seatsMax)),
    409,
    'There are more members than that plan has seats.',
  );

export async function invite({ tenant, email, role }) {
  const user = ulid();
  const takeSeat = Tenant.patch({ tenant })
    .add({ seats: 1 })
    .where(({ seats, seatsMax }, { name }) => `${name(seats)} < ${name(seatsMax)}`);
  await transact([takeSeat, 402, 'All seats are taken.'], ...addMember({ tenant, user, email, role }));
  return { user };
}

export async function removeMember({ tenant, user }) {
  const { email } = await found(Member.get({ tenant, user }).go());
  await transact(
    [Member.remove({ tenant, user }).where(({ role }, { ne }) => ne(role, 'owner'))],
    [Email.remove(emailKey({ tenant, email }))],
    [Tenant.patch({ tenant }).add({ seats: -1 })],
  );
}

const tenantExists = (tenant) => [Tenant.check({ tenant }).where(present('tenant')), 404];

export async function createProject({ tenant, name }) {
  const item = { tenant, projectId: ulid(), name, archived: false, createdAt: now() };
  await transact(tenantExists(tenant), [Project.create(item)]);
  return item;
}

export const archiveProject = ({ tenant, projectId }) =>
  update(Project.patch({ tenant, projectId }).set({ archived: true }));

export async function createKey({ tenant, label }) {
  const key = randomBytes(32).toString('base64url');
  await transact(tenantExists(tenant), [ApiKey.create({ tenant, keyHash: sha256(key), label })]);
  return { key };
}

export const revokeKey = ({ tenant, keyHash }) => remove(ApiKey.remove({ tenant, keyHash }));

export async function call({ key, month }) {
  const { data } = await ApiKey.query.byHash({ keyHash: sha256(key) }).go({ limit: 1 });
  const { tenant } = data[0] ?? refuse(401);
  const slice = Math.floor(epoch() / 60) * 60;
  const { count } = await update(
    RequestWindow.upsert({ tenant, slice, budget: requestsPerMinute, ttl: slice + 3600 })
      .add({ count: 1 })
      .where((window, { notExists, lt }) => `${notExists(window.count)} OR ${lt(window.count, requestsPerMinute)}`),
    429,
  );
  await Usage.upsert({ tenant, month }).add({ calls: 1 }).go();
  return { tenant, remaining: requestsPerMinute - count };
}
