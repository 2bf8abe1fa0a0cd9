import type { VariableAnswer } from '@batuta/client/console-types';
import type { JsonRecord } from './json-shapes';

// A process as files: everything that its author defines, with names instead of ids, so that another installation can import it.
// Secrets, keys, shares, URLs and states of runs are not part of it.

export interface ProcessSettings {
  processName: string;
  description: string;
  /** Name of the environment that is registered on the process, or its id when the account does not see it; null = none. */
  environment: string | null;
  /** `BLOQUEADO` refuses calls of the API and of production URLs of webhooks. */
  apiPermission: 'LIBERADO' | 'BLOQUEADO';
  /** While false, nothing but a debug run starts. */
  active: boolean;
  /** While true, its schedules do not fire. */
  paused: boolean;
  /** `hours:minutes:seconds`. */
  avgHumanTime: string;
  /** Money per hour. */
  avgOperatorCost: number;
  /** The keys of its owner's vault that the process may use, without their values. */
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
  /** The signature rule without its secret. */
  signature: { header: string; toleranceSeconds: number | null } | null;
  /** Of an exported process its draft, if it has one, without entries of removed variables; an import saves the mapping. */
  mapping: MappingItem[];
}

export interface ProcessDefinition {
  settings: ProcessSettings;
  matrix: MatrixItem[];
  /** Null while no flow is saved. */
  flow: JsonRecord | null;
  origins: OriginDefinition[];
}
