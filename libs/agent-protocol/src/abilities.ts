import { createHash } from 'node:crypto';
import { ABILITY_SEALED_VALUES, ABILITY_WEBHOOK_RESPONSE } from './agent-protocol';

/** The abilities of an agent whose `hello` lists none, or whose router does not pass the list on. */
const ABILITIES_WITHOUT_LIST = ['variables', 'script', 'rest', 'wait', ABILITY_WEBHOOK_RESPONSE];

const MAX_ABILITIES_KEY_CHARACTERS = 100;
const AND = new Intl.ListFormat('en');

/** By ability that is not a step type: what an agent with the ability does, as a part of a sentence. */
export const TEXT_OF_FEATURE: Readonly<Record<string, string>> = {
  mapping: 'knows the mapping of a step',
  ocr: 'reads the text of pictures',
  [ABILITY_SEALED_VALUES]: 'has a key to which secret values are sealed',
};

/**
 * The beginning of a sentence that names the needed abilities which the connected agents of an environment lack; the caller completes it.
 * Undefined when an agent has all of them. Where the agents lack different abilities, the sentence says that no single agent has all.
 */
export function missingAbilitiesPhrase(
  environmentName: string,
  agents: readonly Abilities[],
  needed: readonly string[],
): string | undefined {
  if (needed.length === 0 || agents.some((agent) => agent.covers(needed))) return undefined;
  const isHeld = (name: string) => agents.some((agent) => agent.covers([name]));
  const held = needed.filter(isHeld);
  if (held.length === 0 || agents.some((agent) => agent.covers(held))) {
    const heldByNone = needed.filter((name) => !isHeld(name));
    return `No connected agent of the environment "${environmentName}" ${whatAgentsDo(heldByNone)}`;
  }
  const notHeldByAll = needed.filter((name) => !agents.every((agent) => agent.covers([name])));
  return `No single connected agent of the environment "${environmentName}" ${whatAgentsDo(notHeldByAll)}`;
}

/** What an agent with these abilities does, as a part of a sentence. */
function whatAgentsDo(abilities: readonly string[]): string {
  const types = abilities.filter((name) => !Object.hasOwn(TEXT_OF_FEATURE, name));
  return AND.format([
    ...(types.length === 0 ? [] : [`runs ${AND.format(types)} steps`]),
    ...abilities.flatMap((name) => (Object.hasOwn(TEXT_OF_FEATURE, name) ? (TEXT_OF_FEATURE[name] ?? []) : [])),
  ]);
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
}
