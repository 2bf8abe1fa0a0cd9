import type { Program } from '../stack/program';
import type { ServiceProcess } from '../stack/service-process';

export interface FaultTarget {
  name: string;
  program: Program | ServiceProcess;
}

/** Injects a fault into a program; resolves when it runs again: after a kill a service is ready, but an agent may not be connected yet. */
export type FaultInjector = (program: FaultTarget['program']) => Promise<void>;

export const killFault: FaultInjector = async (program) => {
  await program.kill();
  await program.startAgain();
};

const MIN_HANG_MS = 1_000;
const MAX_HANG_MS = 20_000;
/**
 * Settings of the routers: a session lease as long as the longest pause, so that a long pause may outlast what is left of a lease, while
 * the delays of a slow machine do not.
 */
export const LEASE_FOR_HANGS = { LEASE_SECONDS: String(MAX_HANG_MS / 1_000) };

/** Stops the program for a random time, shorter or longer than the rest of its lease; it keeps its connections and locks. */
export const hangFault: FaultInjector = async (program) => {
  program.pause();
  await pause(MIN_HANG_MS + Math.random() * (MAX_HANG_MS - MIN_HANG_MS));
  program.resume();
};

/**
 * Injects the fault into one of the programs at random intervals of `everyMs` on average, for at least `forMs` and until each program has
 * had one. A program that has not recovered is passed over. Resolves with the number of faults of each program when all run again.
 */
export async function injectAtRandom(
  fault: FaultInjector,
  faultTargets: readonly FaultTarget[],
  { everyMs, forMs }: { everyMs: number; forMs: number },
): Promise<Map<string, number>> {
  const times = new Map(faultTargets.map(({ name }) => [name, 0]));
  const down = new Set<FaultTarget>();
  const recoveries: Promise<void>[] = [];
  const failures: unknown[] = [];
  const end = Date.now() + forMs;
  let turns: FaultTarget[] = [];
  while (Date.now() < end || [...times.values()].includes(0)) {
    await pause(everyMs * (0.5 + Math.random()));
    if (turns.length === 0) turns = shuffle(faultTargets);
    const target = turns.find((one) => !down.has(one));
    if (!target) continue;
    turns.splice(turns.indexOf(target), 1);
    times.set(target.name, (times.get(target.name) ?? 0) + 1);
    down.add(target);
    const recovery = fault(target.program).catch((error: unknown) => void failures.push(error));
    recoveries.push(recovery.finally(() => down.delete(target)));
  }
  await Promise.all(recoveries);
  if (failures.length > 0) throw new AggregateError(failures, 'A program did not recover');
  return times;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
