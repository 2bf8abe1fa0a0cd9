import type { VariableAnswer } from '@batuta/client/console-types';
import type { JsonRecord } from '../json-shapes';

// A process as files: what a person decides about it, under names instead of ids, so that it may be imported elsewhere. Secrets,
// keys, shares, URLs and states of runs are not part of it.

export interface ProcessSettings {
  processName: string;
  description: string;
  /** Name of the environment that is registered on the process. */
  environment: string | null;
  apiPermission: 'LIBERADO' | 'BLOQUEADO';
  active: boolean;
  paused: boolean;
  avgHumanTime: string;
  avgOperatorCost: number;
  /** The keys of its owner's vault that it may use; never their values. */
  vaultKeys: string[];
}

export interface MatrixItem {
  name: string;
  type: VariableAnswer['type'];
  /** Absent for a Secreto. */
  default?: unknown;
}

export interface MappingItem {
  pointer: string;
  /** Name of a variable of the Matrix. */
  variable: string;
}

export interface OriginDefinition {
  name: string;
  responseMode: 'Imediata' | 'Aguardar';
  waitSeconds: number;
  enabled: boolean;
  /** Without its secret. */
  signature: { header: string; toleranceSeconds: number | null } | null;
  mapping: MappingItem[];
}

export interface ProcessDefinition {
  settings: ProcessSettings;
  matrix: MatrixItem[];
  /** null while no flow was saved. */
  flow: JsonRecord | null;
  origins: OriginDefinition[];
}
