// DynamoDB's messages for members of a request that violate their constraints.
export const many = (...messages) => `${messages.length} validation errors detected: ${messages.join('; ')}`;
const at = (value, member, constraint) => `Value ${value} at '${member}' failed to satisfy constraint: ${constraint}`;
export const notNull = (member) => at('null', member, 'Member must not be null');
export const atLeast = (value, member, bound = 1) =>
  at(`'${value}'`, member, `Member must have value greater than or equal to ${bound}`);
export const atMost = (value, member, bound) =>
  at(`'${value}'`, member, `Member must have value less than or equal to ${bound}`);
export const longerThan = (value, member, bound) =>
  at(`'${value}'`, member, `Member must have length greater than or equal to ${bound}`);
export const shorterThan = (value, member, bound) =>
  at(`'${value}'`, member, `Member must have length less than or equal to ${bound}`);
export const ofPattern = (value, member, pattern = '[a-zA-Z0-9_.-]+') =>
  at(`'${value}'`, member, `Member must satisfy regular expression pattern: ${pattern}`);
export const oneOf = (value, member, values) =>
  at(`'${value}'`, member, `Member must satisfy enum value set: [${values}]`);
