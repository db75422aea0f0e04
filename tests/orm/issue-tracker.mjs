// designs/examples/issue-tracker.yaml with ElectroDB: projects, numbered issues with labels, comments.
import { again, create, found, now, present, remove, transactionOf, ulid, update } from './calls.mjs';
import { changedAt, counter, createdAt, entityOf, gsi, newId, oneOf, optionalText, tableKey, text } from './schema.mjs';

const entity = entityOf('tracker');
const padded = { type: 'number', required: true, padding: { length: 8, char: '0' } };
const projection = ['project', 'number', 'title', 'state', 'assignee', 'createdAt', 'updatedAt'];
const Project = entity(
  'Project',
  { project: text, name: text, lastNumber: counter, issues: counter, createdAt },
  { primary: tableKey('PROJECT#${project}', 'PROJECT') },
);
const Issue = entity(
  'Issue',
  {
    project: text,
    number: padded,
    title: text,
    body: optionalText,
    state: oneOf(['open', 'closed'], 'open'),
    assignee: optionalText,
    labels: { type: 'set', items: 'string' },
    comments: counter,
    createdAt,
    updatedAt: changedAt,
    rev: { type: 'number', required: true, default: 1 },
  },
  {
    primary: tableKey('PROJECT#${project}', 'ISSUE#${number}'),
    byState: { ...gsi('GSI1', 'PROJECT#${project}#${state}', '${number}'), projection },
    ofAssignee: { ...gsi('GSI2', 'ASSIGNEE#${assignee}', '${state}#${project}#${number}'), projection },
  },
);
const IssueLabel = entity(
  'IssueLabel',
  { project: text, label: text, number: padded },
  { primary: tableKey('PROJECT#${project}', 'LABEL#${label}#${number}') },
);
const Comment = entity(
  'Comment',
  { project: text, number: padded, commentId: newId, author: text, body: text, createdAt },
  { primary: tableKey('ISSUE#${project}#${number}', 'COMMENT#${commentId}') },
);
const transact = transactionOf({ Issue, IssueLabel, Comment });

export const project = ({ project }) => found(Project.get({ project }).go());
export const issue = ({ project, number }) => found(Issue.get({ project, number }).go());
export const issues = ({ project }, page) => Issue.query.primary({ project }).go({ order: 'desc', ...page });
export const issuesByState = ({ project, state }, page) =>
  Issue.query.byState({ project, state }).go({ order: 'desc', ...page });
export const issuesOf = ({ assignee, state }, page) =>
  Issue.query.ofAssignee({ assignee, state }).go({ order: 'desc', ...page });
export const issuesLabelled = ({ project, label }, page) => IssueLabel.query.primary({ project, label }).go(page);
export const comments = ({ project, number }, page) => Comment.query.primary({ project, number }).go(page);

export const createProject = ({ project, name }) => create(Project.create({ project, name }));

export async function openIssue({ project, title, body, assignee, labels = [] }) {
  const { lastNumber: number } = await update(Project.patch({ project }).add({ lastNumber: 1 }));
  const some = labels.length > 0 ? { labels } : {};
  const put = Issue.create({ project, number, title, body, assignee, ...some }).commit();
  // ElectroDB would list all issues without an assignee under "ASSIGNEE#".
  if (!assignee) delete put.Put.Item.GSI2PK;
  await transact([put], ...labels.map((label) => [IssueLabel.create({ project, label, number })]));
  return { project, number };
}

const patch = ({ project, number }) => Issue.patch({ project, number }).add({ rev: 1 });

// A null removes the body or the labels; undefined members do not change.
export const editIssue = ({ project, number, ...changes }) =>
  again(5, async () => {
    const { rev, labels: old = [] } = await found(Issue.get({ project, number }).go({ consistent: true }));
    const labels = changes.labels === undefined ? old : (changes.labels ?? []);
    const defined = Object.entries(changes).filter(([, value]) => value !== undefined);
    const isRemoved = ([, value]) => value === null || value.length === 0;
    const edit = patch({ project, number })
      .set(Object.fromEntries(defined.filter((change) => !isRemoved(change))))
      .remove(defined.filter(isRemoved).map(([name]) => name))
      .where((known, { eq }) => eq(known.rev, rev));
    const added = labels.filter((label) => !old.includes(label));
    const gone = old.filter((label) => !labels.includes(label));
    await transact(
      [edit],
      ...added.map((label) => [IssueLabel.create({ project, label, number })]),
      ...gone.map((label) => [IssueLabel.remove({ project, label, number })]),
    );
    return issue({ project, number });
  });

export const assign = ({ to, ...key }) => update(patch(key).set({ assignee: to }));
export const unassign = (key) => update(patch(key).remove(['assignee']));

const move = (key, from, to) =>
  update(
    patch(key)
      .set({ state: to })
      .where(({ state }, { eq }) => eq(state, from)),
  );
export const closeIssue = (key) => move(key, 'open', 'closed');
export const reopenIssue = (key) => move(key, 'closed', 'open');

export async function comment({ project, number, author, body }) {
  const item = { project, number, commentId: ulid(), author, body, createdAt: now() };
  await transact([Issue.check({ project, number }).where(present('number')), 404], [Comment.create(item)]);
  return item;
}

export const deleteComment = ({ project, number, commentId }) => remove(Comment.remove({ project, number, commentId }));
