import { createHash } from 'node:crypto';
import { ABILITY_SEALED_VALUES, ABILITY_WEBHOOK_RESPONSE } from './agent-protocol';

/** The abilities of an agent whose `hello` lists none, or whose router does not pass the list on. */
const ABILITIES_WITHOUT_LIST = ['variables', 'script', 'rest', 'wait', ABILITY_WEBHOOK_RESPONSE];

const MAX_ABILITIES_KEY_CHARACTERS = 100;

/** By ability that is not a step type: what an agent with the ability does, as a part of a sentence. */
export const TEXT_OF_FEATURE: Readonly<Record<string, string>> = {
  mapping: 'knows the mapping of a step',
  ocr: 'reads the text of pictures',
  [ABILITY_SEALED_VALUES]: 'has a key to which secret values are sealed',
};

/** The beginning of a sentence that names the abilities that the best-equipped connected agent of an environment lacks; the caller completes it. */
export function missingAbilitiesPhrase(environmentName: string, missing: readonly string[]): string {
  const and = new Intl.ListFormat('en');
  const types = missing.filter((name) => !Object.hasOwn(TEXT_OF_FEATURE, name));
  const lacks = [
    ...(types.length === 0 ? [] : [`runs ${and.format(types)} steps`]),
    ...missing.flatMap((name) => (Object.hasOwn(TEXT_OF_FEATURE, name) ? (TEXT_OF_FEATURE[name] ?? []) : [])),
  ];
  return `No connected agent of the environment "${environmentName}" ${and.format(lacks)}`;
}

/** The abilities that an agent announced, by which instances are chosen for it (interpretation 56). */
export class Abilities {
  /** Equal for agents with equal abilities: the list as JSON, or the hash of a long list. */
  readonly key: string;

  private constructor(readonly list: readonly string[]) {
    const text = JSON.stringify(list);
    this.key = text.length <= MAX_ABILITIES_KEY_CHARACTERS ? text : createHash('sha256').update(text).digest('base64');
  }

  /** The abilities that a `hello` announced. ABILITY_SEALED_VALUES is among them if the agent has a `publicKey`, whatever `list` says. */
  static announced(list: readonly string[] = ABILITIES_WITHOUT_LIST, publicKey?: string): Abilities {
    const types = list.filter((name) => name !== ABILITY_SEALED_VALUES);
    return Abilities.of(publicKey === undefined ? types : [...types, ABILITY_SEALED_VALUES]);
  }

  private static of(list: readonly string[]): Abilities {
    return new Abilities([...new Set(list)].toSorted());
  }

  /** Reads the abilities from the JSON list that the session's row stores. */
  static parse(text: string): Abilities {
    const list: unknown = JSON.parse(text);
    return Abilities.of(Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []);
  }

  /** The abilities that the agent listed in its `hello`, or that an older agent has without a list: all but ABILITY_SEALED_VALUES. */
  get listedAbilities(): string[] {
    return this.list.filter((name) => name !== ABILITY_SEALED_VALUES);
  }

  covers(needed: readonly string[]): boolean {
    return needed.every((name) => this.list.includes(name));
  }

  /** Those of the needed abilities that this agent lacks. */
  missing(needed: readonly string[]): string[] {
    return needed.filter((name) => !this.list.includes(name));
  }

  /** The needed abilities that are missing in the agent that lacks the fewest of them; all of them when there is no agent. */
  static leastMissing(agents: readonly Abilities[], needed: readonly string[]): string[] {
    const [least] = agents.map((agent) => agent.missing(needed)).toSorted((a, b) => a.length - b.length);
    return least ?? [...needed];
  }
}
