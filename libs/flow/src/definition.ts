import type { MatrixType } from '@batuta/matrix';

/** What a process version contains: the steps of an automation and how they follow one another. */
export interface Flow {
  $schema?: string;
  /** Name of the first step. */
  start: string;
  /** May only lower the agent's own limit of executed steps. */
  stepLimit?: number;
  steps: Step[];
}

export type Step =
  VariablesStep | ScriptStep | RestStep | DatabaseStep | EmailStep | BrowserStep | WaitStep | WebhookResponseStep;

export type StepType = Step['type'];

interface StepBase {
  /** Unique in the flow; routes, logs and `{stepName}` speak of it. */
  name: string;
  /** Name of the automatic variable that receives the result. */
  as?: string;
  /** Flow variables, evaluated before the step's action (contract 2.12). */
  rows?: Row[];
  /** A script whose result becomes `{stepValidation}`. */
  validation?: string;
  /** The first that holds is taken; none = the execution ends without error. */
  routes?: Route[];
  /** Taken instead of `routes` when the step fails; without a match the execution ends in error. */
  onError?: Route[];
}

/** Only evaluates its rows. */
export interface VariablesStep extends StepBase {
  type: 'variables';
}

export interface ScriptStep extends StepBase {
  type: 'script';
  /** A function body; what it returns goes into `as` (interpretation 43). */
  code: string;
}

export interface RestStep extends StepBase {
  type: 'rest';
  method: RestMethod;
  url: string;
  headers?: Record<string, string>;
  /** Text, or a JSON value whose texts are templates: see `renderBody`. */
  body?: JsonValue;
  timeoutSeconds?: number;
  retries?: number;
}

export interface DatabaseStep extends StepBase {
  type: 'database';
  connection: string;
  sql: string;
  /** Bound by the driver, never pasted into the SQL; a lone `{var}` keeps its type. */
  params?: JsonValue[];
}

export interface EmailStep extends StepBase {
  type: 'email';
  server: string;
  from: string;
  to: string | string[];
  subject: string;
  text?: string;
  html?: string;
  attachments?: string[];
}

export interface BrowserStep extends StepBase {
  type: 'browser';
  actions: ({ action: string } & Record<string, JsonValue>)[];
}

export interface WaitStep extends StepBase {
  type: 'wait';
  seconds: number;
}

export interface WebhookResponseStep extends StepBase {
  type: 'webhookResponse';
  /** Absent or null = 200 (contract 4.17). */
  code?: number | null;
  /** JSON with `{{name}}`: see `renderResponseBody`. */
  body: string;
}

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export const REST_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export type RestMethod = (typeof REST_METHODS)[number];

/** The codes a Webhook Response step may set (contract 4.17). */
export const RESPONSE_CODES = [200, 201, 202, 400, 401, 403, 404, 409, 422, 500] as const;

export const ROW_MODES = ['Fixo', 'Variável ou texto', 'Fórmula'] as const;
export type RowMode = (typeof ROW_MODES)[number];

/** One flow variable, or with `assign` a new value for a variable that exists already. */
export interface Row {
  name: string;
  mode: RowMode;
  value: string;
  /** Converts the result by the rules of the Matrix; an assignment uses its target's type. */
  type?: MatrixType;
  /** Hides the value from logs. */
  sensitive?: boolean;
  assign?: boolean;
}

/** Where to go on. With neither `to` nor `terminate` the execution ends here without error. */
export interface Route {
  /** A condition in JavaScript; absent = always. */
  when?: string;
  to?: string;
  terminate?: true;
}
