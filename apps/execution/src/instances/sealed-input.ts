import { RawJson, stringifyWithRaw } from '@batuta/json';
import { sealingContexts, type KeyRing } from '@batuta/secrets';

/** Version id of a debug run: the flow is not a published version but part of the sealed input. */
export const NO_VERSION = '00000000-0000-0000-0000-000000000000';

/** A Matrix variable with the converted value with which an instance starts. */
export interface InputValue {
  name: string;
  type: string;
  value: unknown;
}

/** What an instance starts with, stored sealed; `draft` = the flow of a debug run, as JSON text. */
export interface InstanceInput {
  matrix: InputValue[];
  draft?: string;
}

/** Seals the input of an instance; `matrix` = the values as JSON. */
export function sealInput(
  keys: KeyRing,
  instanceID: string,
  { matrix, draft }: { matrix: string; draft: string | undefined },
): Buffer {
  const input = draft === undefined ? matrix : stringifyWithRaw({ matrix: new RawJson(matrix), draft }).json;
  return keys.seal(input, sealingContexts.instanceInput(instanceID));
}

/** The input as JSON text. Throws when it cannot be unsealed, for example because this service does not have its key. */
export function unsealInput(keys: KeyRing, instanceID: string, sealed: Buffer): string {
  return keys.unseal(sealed, sealingContexts.instanceInput(instanceID));
}

/** Throws for a text that is no unsealed input. */
export function parseInput(text: string): InstanceInput {
  const input: unknown = JSON.parse(text);
  if (isMatrix(input)) return { matrix: input };
  if (isInputWithDraft(input)) return input;
  throw new Error('The sealed input has an unknown form');
}

function isMatrix(input: unknown): input is InputValue[] {
  return Array.isArray(input) && input.every(isInputValue);
}

function isInputWithDraft(input: unknown): input is Required<InstanceInput> {
  if (typeof input !== 'object' || input === null || !('matrix' in input) || !('draft' in input)) return false;
  return isMatrix(input.matrix) && typeof input.draft === 'string';
}

function isInputValue(value: unknown): value is InputValue {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('type' in value)) return false;
  return typeof value.name === 'string' && typeof value.type === 'string';
}
