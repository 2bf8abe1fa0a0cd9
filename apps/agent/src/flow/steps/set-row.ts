import { ApiError } from '@batuta/errors';
import { renderTypedValue, type Row } from '@batuta/flow';
import type { AuthorCode, Computed } from './author-code';
import type { ExecutionScope } from '../scope/execution-scope';
import { StepError } from '../step-error';

/** Evaluates one row, sets its variable and returns the value (contract 2.12). A StepError names the variable. */
export async function setRow(row: Row, scope: ExecutionScope, code: AuthorCode): Promise<unknown> {
  const { value, type, secrecy: origin } = await evaluateRow(row, scope, code);
  const secrecy = row.sensitive ? 'marked' : origin;
  try {
    return row.assign
      ? scope.assign(row.name, value, secrecy)
      : scope.createVariable(row.name, value, row.type ?? type, secrecy);
  } catch (error) {
    if (error instanceof ApiError) throw new StepError(`variable ${error.message}`, null, true);
    if (error instanceof StepError) throw new StepError(`variable ${row.name}: ${error.message}`);
    throw error;
  }
}

async function evaluateRow(row: Row, scope: ExecutionScope, code: AuthorCode): Promise<Computed> {
  const view = scope.rowView();
  if (row.mode === 'Fixo') return { value: row.value, secrecy: 'open' };
  if (row.mode === 'Fórmula') return code.formula(row.value, view, `variable ${row.name}`);
  const rendered = renderTypedValue(row.value, view);
  return { ...rendered, secrecy: view.secrecy };
}
