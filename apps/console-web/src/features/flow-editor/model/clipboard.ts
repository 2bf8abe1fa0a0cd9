import { isRecord, isStep, stepNamed, type DraftFlow, type DraftStep } from '../../../flow/draft';
import { retarget, stepNames } from './edit-steps';
import { parseFlowText, unheldNumberIn } from './flow-text';
import { MAX_NAME_LENGTH, uniqueName } from './names';

const MAX_CLIPBOARD_CHARACTERS = 1_048_576;
/** The maximum of a flow, as in its JSON Schema. */
const MAX_COPIED_STEPS = 500;
/** Maximum number of objects and lists within each other. */
const MAX_DEPTH = 60;
/** Says what the copied text is, for people and other programs; pasting does not need it. */
const FORMAT = 'batuta/steps';

/** The named steps as JSON text for the clipboard, in the order of the flow. The text may be pasted into another flow or another window. */
export function copySteps(flow: DraftFlow, names: readonly string[]): string {
  const copied = flow.steps.filter(({ name }) => names.includes(name));
  return JSON.stringify({ format: FORMAT, steps: copied }, null, 2);
}

/**
 * Why a text of the clipboard is not pasted: it has no steps or a malformed one, or is nested too deeply (`not-steps`); its characters or its
 * steps are too many; it has a number that no double holds; or a step has none of the known types.
 */
export type PasteRefusal = 'not-steps' | 'too-large' | 'unheld-number' | 'unknown-type';

/**
 * Reads copied steps, a whole flow or a single step. The text may come from anywhere, so its size, depth and shape are checked, and
 * every step must have one of the `types`.
 */
export function readCopied(
  text: string,
  types: ReadonlySet<string>,
): { steps: DraftStep[] } | { refusal: PasteRefusal } {
  if (text.length > MAX_CLIPBOARD_CHARACTERS) return { refusal: 'too-large' };
  const read = parseFlowText(text);
  if (!read) return { refusal: unheldNumberIn(text) ? 'unheld-number' : 'not-steps' };
  const { json } = read;
  if (!isHarmless(json, MAX_DEPTH)) return { refusal: 'not-steps' };
  const steps: unknown[] = isRecord(json) && Array.isArray(json.steps) ? json.steps : [json];
  if (steps.length > MAX_COPIED_STEPS) return { refusal: 'too-large' };
  const sound = steps
    .filter(isStep)
    .filter(({ name }) => name.trim() !== '' && Array.from(name).length <= MAX_NAME_LENGTH);
  if (steps.length === 0 || sound.length < steps.length) return { refusal: 'not-steps' };
  return sound.every(({ type }) => types.has(type)) ? { steps: sound } : { refusal: 'unknown-type' };
}

/**
 * Adds copied steps under free names, which are also returned. Routes between copied steps lead to the new names. A route to any other
 * step stays if the flow has a step of that name, and is removed otherwise. The first step becomes the start of an empty flow.
 */
export function pasteSteps(flow: DraftFlow, copied: readonly DraftStep[]): { flow: DraftFlow; names: string[] } {
  const taken = stepNames(flow);
  const renamed = new Map<string, string>();
  const names = copied.map(({ name }) => {
    const free = uniqueName(name, taken);
    taken.add(free);
    if (!renamed.has(name)) renamed.set(name, free);
    return free;
  });
  const target = (to: string) => renamed.get(to) ?? (stepNamed(flow, to) ? to : undefined);
  const added = copied.map((step, index) => retarget({ ...step, name: names[index] ?? step.name }, target));
  const start = flow.steps.length === 0 ? (names[0] ?? '') : flow.start;
  return { flow: { ...flow, start, steps: [...flow.steps, ...added] }, names };
}

/** False for JSON that is nested too deeply or has a key that could change the prototype of an object. */
function isHarmless(json: unknown, depth: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  if (depth === 0 || Object.hasOwn(json, '__proto__')) return false;
  return Object.values(json).every((value) => isHarmless(value, depth - 1));
}
