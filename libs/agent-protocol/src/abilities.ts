import { createHash } from 'node:crypto';
import { ABILITY_WEBHOOK_RESPONSE } from './agent-protocol';

/** The abilities of an agent whose `hello` has no list, and of one whose router does not pass the list on. */
const WITHOUT_LIST = ['variables', 'script', 'rest', 'wait', ABILITY_WEBHOOK_RESPONSE];

const MAX_KEY_LENGTH = 100;

/** Says which abilities the agents of an environment lack; the caller ends the sentence. */
export function lackingAgent(environmentName: string, missing: readonly string[]): string {
  const steps = `${new Intl.ListFormat('en').format(missing)} steps`;
  return `No connected agent of the environment "${environmentName}" runs ${steps}`;
}

/** The abilities that an agent announced, by which instances are chosen for it (interpretation 56). */
export class Abilities {
  /** Equal for equal abilities; short, whatever an agent announces. */
  readonly key: string;

  private constructor(readonly list: readonly string[]) {
    const text = JSON.stringify(list);
    this.key = text.length <= MAX_KEY_LENGTH ? text : createHash('sha256').update(text).digest('base64');
  }

  static announced(list: readonly string[] = WITHOUT_LIST): Abilities {
    return new Abilities([...new Set(list)].toSorted());
  }

  /** `text` = the JSON list of an agent's session. */
  static parse(text: string): Abilities {
    const list: unknown = JSON.parse(text);
    return Abilities.announced(Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []);
  }

  covers(needed: readonly string[]): boolean {
    return needed.every((name) => this.list.includes(name));
  }

  missing(needed: readonly string[]): string[] {
    return needed.filter((name) => !this.list.includes(name));
  }

  /** What the agent lacks that lacks the fewest; nothing when one has all. */
  static leastMissing(agents: readonly Abilities[], needed: readonly string[]): string[] {
    const [least] = agents.map((agent) => agent.missing(needed)).toSorted((a, b) => a.length - b.length);
    return least ?? [...needed];
  }
}
