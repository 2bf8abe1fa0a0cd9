import type { StructureResult } from '@batuta/json';
import type { MatrixType } from './types';

/** A large text sent for a Lista or an Objeto, already parsed by a JsonThread. `convertValue` takes it in place of the text. */
export class LargeText {
  constructor(
    readonly text: string,
    readonly structure: StructureResult,
  ) {}
}

/** The task of JsonThread by which a start reads a large text of this type; only Lista and Objeto have one. */
export const JSON_TASK_OF_TYPE: Partial<Record<MatrixType, 'jsonOfListText' | 'jsonOfObjectText'>> = {
  Lista: 'jsonOfListText',
  Objeto: 'jsonOfObjectText',
};
