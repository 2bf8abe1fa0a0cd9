import { sealingContexts } from '../sealing-contexts';

/** A column with sealed values; it is null in a row without one. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The columns of the primary key. */
  key: readonly string[];
  /** Columns that the context needs in addition to the key. */
  more?: readonly string[];
  /** The context with which the value of a row is sealed. */
  contextOf: (row: Record<string, string>) => string;
}

const requiredText = (value: string | undefined): string => {
  if (value === undefined) throw new Error('The row lacks a column of its context');
  return value;
};

/** The column of each kind of sealed value. The compiler demands one for every context. */
export const SEALED_COLUMNS: Readonly<Record<keyof typeof sealingContexts, SealedColumn>> = {
  vaultSecret: {
    table: 'vault_secret',
    column: 'sealed',
    key: ['account_id', 'vault_key'],
    contextOf: (row) => sealingContexts.vaultSecret(requiredText(row['account_id']), requiredText(row['vault_key'])),
  },
  originToken: {
    table: 'origin_token',
    column: 'sealed',
    key: ['token_hash'],
    more: ['origin_id', 'kind'],
    contextOf: (row) => sealingContexts.originToken(requiredText(row['origin_id']), requiredText(row['kind'])),
  },
  originSignature: {
    table: 'origin',
    column: 'signature',
    key: ['origin_id'],
    contextOf: (row) => sealingContexts.originSignature(requiredText(row['origin_id'])),
  },
  eventSecret: {
    table: 'event_subscription',
    column: 'sealed_secret',
    key: ['subscription_id'],
    contextOf: (row) => sealingContexts.eventSecret(requiredText(row['subscription_id'])),
  },
  previousEventSecret: {
    table: 'event_subscription',
    column: 'sealed_previous',
    key: ['subscription_id'],
    contextOf: (row) => sealingContexts.previousEventSecret(requiredText(row['subscription_id'])),
  },
  instanceInput: {
    table: 'instance_input',
    column: 'sealed',
    key: ['instance_id'],
    contextOf: (row) => sealingContexts.instanceInput(requiredText(row['instance_id'])),
  },
  instanceValues: {
    table: 'instance_values',
    column: 'sealed',
    key: ['instance_id'],
    contextOf: (row) => sealingContexts.instanceValues(requiredText(row['instance_id'])),
  },
  secretAnswer: {
    table: 'instance_secret_answer',
    column: 'sealed',
    key: ['instance_id'],
    contextOf: (row) => sealingContexts.secretAnswer(requiredText(row['instance_id'])),
  },
};
