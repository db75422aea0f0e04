// A test reporter that prints only failures, each in a few lines, and then the totals.
const kLinesPerFailure = 14;

export default async function* report(events) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of events) {
    const isCase = data?.details?.type !== 'suite' && !data?.name?.endsWith('.test.mjs');
    if (type === 'test:pass' && isCase) passed++;
    if (type === 'test:stderr' || type === 'test:stdout') yield data.message;
    if (type !== 'test:fail') continue;
    const error = data.details?.error;
    const reason = error?.cause ?? error;
    if (error?.failureType === 'subtestsFailed') continue;
    failed++;
    const text = String(reason?.message ?? reason)
      .split('\n')
      .slice(0, kLinesPerFailure)
      .map((line) => `    ${line}`)
      .join('\n');
    yield `FAIL ${data.name}\n${text}\n`;
  }
  yield `${passed} passed, ${failed} failed\n`;
}
