/**
 * Starts an instance, reports `count` lines, `each` of them in a report, until one is refused, and ends the instance. Resolves to its id; undefined
 * when the start was refused.
 */
export async function writeLog(attacker, agent, target, { count, each, line }) {
  const granted = new Promise((resolve) => agent.accept(resolve));
  const { text, status } = await attacker.start(target, {});
  if (status > 299) return undefined;
  const instance = await Promise.race([granted, agent.failure]);
  for (let sent = 0; sent < count; sent += each) {
    const { accepted } = await agent.report(instance, { lines: Array.from({ length: each }, line) });
    attacker.count(accepted ? 'report stored' : 'report refused');
    if (!accepted) break;
  }
  await agent.end(instance);
  agent.events.removeAllListeners('offer').removeAllListeners('grant');
  return JSON.parse(text).instanceID;
}

const usualLine = () => ({
  timestamp: new Date().toISOString(),
  severity: 'INFO',
  stepID: 'Only step',
  evidence: null,
});

/** A line of 16,000 characters, 24 KB in UTF-8. */
export const largeLine = () => ({ ...usualLine(), message: 'é'.repeat(8_000).padEnd(16_000, 'x') });
/** A line with 1 MB of evidence. */
export const evidenceLine = () => ({ ...usualLine(), message: 'a picture', evidence: 'e'.repeat(1_000_000) });
