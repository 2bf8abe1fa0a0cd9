import { ApiError } from '@batuta/errors';
import { renderTypedValue, type MappedField, type Row } from '@batuta/flow';
import type { AuthorCode, ComputedValue } from '../../execution/author-code';
import type { ExecutionScope, ScopeView } from '../../execution/scope/execution-scope';
import { StepError } from '../../step-error';

/** Evaluates one row, sets its variable and returns the value (contract 2.12). A StepError names the variable. */
export async function setRow(row: Row, scope: ExecutionScope, code: AuthorCode): Promise<unknown> {
  const what = `variable ${row.name}`;
  const { value, type, secrecy: computed } = await evaluateInMode(row, scope.rowView(), code, what);
  const secrecy = row.sensitive ? 'marked' : computed;
  return withNameInErrors('variable', row.name, () =>
    row.assign
      ? scope.assign(row.name, value, secrecy)
      : scope.createVariable(row.name, value, row.type ?? type, secrecy),
  );
}

/** Evaluates a field of the step's mapping and sets it (contract 2.12). A StepError names the field. */
export async function setMappedField(
  name: string,
  field: MappedField,
  scope: ExecutionScope,
  code: AuthorCode,
): Promise<unknown> {
  const { value, type, secrecy } = await evaluateInMode(field, scope.mappingView(), code, `field ${name}`);
  return withNameInErrors('field', name, () =>
    scope.setField(name, value, field.type ?? type, field.sensitive ? 'marked' : secrecy),
  );
}

function withNameInErrors(kind: 'variable' | 'field', name: string, set: () => unknown): unknown {
  try {
    return set();
  } catch (error) {
    if (error instanceof ApiError) throw new StepError(`${kind} ${error.message}`, null, true);
    if (error instanceof StepError) throw new StepError(`${kind} ${name}: ${error.message}`);
    throw error;
  }
}

/** Evaluates a value in one of the three modes (contract 2.12); errors name it by `what`. */
async function evaluateInMode(
  { mode, value }: Pick<Row, 'mode' | 'value'>,
  view: ScopeView,
  code: AuthorCode,
  what: string,
): Promise<ComputedValue> {
  if (mode === 'Fixo') return { value, secrecy: 'open' };
  if (mode === 'Fórmula') return code.evaluateFormula(value, view, what);
  const rendered = renderTypedValue(value, view);
  return { ...rendered, secrecy: view.secrecy };
}
