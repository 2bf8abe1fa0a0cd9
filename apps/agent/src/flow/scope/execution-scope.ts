import { convertValue, type MatrixType } from '@batuta/matrix';
import { isSystemVariable, variableOf, type SystemVariable, type Variables } from '@batuta/flow';
import { HIDDEN, redactJson, type Mask } from '@batuta/masking';
import { RunFiles, type RunFile } from '../files/run-files';
import { StepError } from '../step-error';

/** `marked` = sensitive by the author's choice or by type; `derived` = made from such a value. Neither is ever shown. */
export type Secrecy = 'open' | 'derived' | 'marked';

interface Variable {
  value: unknown;
  type?: MatrixType | undefined;
  secrecy: Secrecy;
}

/** The variables for one evaluation. `secrecy` becomes `derived` once the evaluation has read a sensitive variable. */
export interface ScopeView extends Variables {
  readonly secrecy: 'open' | 'derived';
}

export type SystemValues = Record<Exclude<SystemVariable, 'JS'>, unknown>;

/**
 * All variables of one execution (contract 2.11, 2.12): Matrix values under `matrix.x`, flow and automatic variables,
 * system variables, and vault values under `vault.KEY`, which only the fields of steps may read. No variable outlives the
 * execution or changes a registered value (interpretation 45).
 */
export class ExecutionScope {
  readonly files = new RunFiles();
  private readonly variables = new Map<string, Variable>();
  private readonly vault: Map<string, string>;

  constructor(
    matrix: readonly { name: string; type: MatrixType; value: unknown }[],
    vault: Readonly<Record<string, string>>,
    private readonly system: { readonly values: SystemValues },
    private readonly mask: Mask,
  ) {
    this.vault = new Map(Object.entries(vault));
    for (const secret of this.vault.values()) mask.hide(secret);
    for (const { name, type, value } of matrix) this.put(`matrix.${name}`, value, type, 'open');
  }

  /** For rows, which may not use `{vault.KEY}`. */
  rowView(): ScopeView {
    return this.view(false);
  }

  /** For the fields of a step, conditions and validation, which may use `{vault.KEY}`. */
  fieldView(): ScopeView {
    return this.view(true);
  }

  /** For a text that is only shown: sensitive variables and their fields read as hidden, however short they are. */
  maskedView(): Variables {
    const view = this.fieldView();
    const isHidden = (name: string) => this.isSensitive(variableOf(name, view) ?? '');
    return {
      has: (name) => view.has(name) || isHidden(name),
      get: (name) => (isHidden(name) ? HIDDEN : view.get(name)),
      typeOf: (name) => (isHidden(name) ? undefined : view.typeOf?.(name)),
    };
  }

  /** JSON text as it may be shown. */
  redactJson(json: string): string {
    return redactJson(this.mask, json);
  }

  /**
   * Creates a flow variable; a row that runs again in a loop replaces it.
   * Throws ApiError INVALID_MATRIX for a value that does not fit the type, StepError for a reserved name.
   */
  createVariable(name: string, value: unknown, type: MatrixType | undefined, secrecy: Secrecy): unknown {
    if (isSystemVariable(name)) throw new StepError('is a system variable and cannot be set');
    if (/^(matrix|connector|vault)\./.test(name)) throw new StepError('a new variable cannot carry this prefix');
    return this.put(name, type ? convertValue(type, value, name, 'assign') : value, type, secrecy);
  }

  /** Converts the value to the type of an existing variable and sets it. A marked variable stays marked. */
  assign(name: string, value: unknown, secrecy: Secrecy): unknown {
    if (isSystemVariable(name)) throw new StepError('is a system variable and cannot be set');
    const target = this.variables.get(name);
    if (!target) throw new StepError('is assigned but does not exist');
    const converted = target.type ? convertValue(target.type, value, name, 'assign') : value;
    return this.put(name, converted, target.type, target.secrecy === 'marked' ? 'marked' : secrecy);
  }

  /**
   * Sets the automatic variable of a step (`as`), which has no type. With a file also `{name.FILE}` and `{name.BUFFER}`; those of
   * an earlier file exist no longer. Throws StepError when the execution has too many bytes of files.
   */
  setAutomatic(name: string, value: unknown, secrecy: Secrecy, file?: RunFile): void {
    this.put(name, value, undefined, secrecy);
    if (this.files.drop(name)) for (const part of ['FILE', 'BUFFER']) this.variables.delete(`${name}.${part}`);
    if (!file) return;
    this.put(`${name}.FILE`, this.files.keep(name, file), undefined, 'open');
    // Encoded when it is read: most files are only passed on.
    const buffer = {
      get value() {
        return file.bytes.toString('base64');
      },
      secrecy: 'open' as const,
    };
    this.variables.set(`${name}.BUFFER`, buffer);
  }

  /** Keeps a secret out of the log that no variable holds, such as the password in an address. */
  hide(secret: string): void {
    this.mask.hide(secret);
  }

  isSensitive(name: string): boolean {
    const variable = this.variables.get(name);
    return variable ? variable.secrecy !== 'open' : name.startsWith('vault.');
  }

  typeOf(name: string): MatrixType | undefined {
    return this.variables.get(name)?.type;
  }

  private put(name: string, value: unknown, type: MatrixType | undefined, given: Secrecy): unknown {
    const secrecy = type === 'Secreto' ? 'marked' : given;
    // Hidden first: a value that cannot be hidden must not become readable.
    if (secrecy === 'marked') this.mask.hide(value, type);
    if (secrecy === 'derived') this.mask.hideDerived(value);
    this.variables.set(name, { value, type, secrecy });
    return value;
  }

  private view(withVault: boolean): ScopeView {
    let secrecy: ScopeView['secrecy'] = 'open';
    const vaultKey = (name: string) => (name.startsWith('vault.') ? name.slice('vault.'.length) : undefined);
    return {
      has: (name) => {
        const key = vaultKey(name);
        if (key !== undefined) return withVault && this.vault.has(key);
        return this.variables.has(name) || isSystemValue(name);
      },
      get: (name) => {
        if (this.isSensitive(name)) secrecy = 'derived';
        const key = vaultKey(name);
        if (key !== undefined) return withVault ? this.vault.get(key) : undefined;
        const variable = this.variables.get(name);
        if (variable) return variable.value;
        return isSystemValue(name) ? this.system.values[name] : undefined;
      },
      typeOf: (name) => this.typeOf(name),
      get secrecy() {
        return secrecy;
      },
    };
  }
}

function isSystemValue(name: string): name is keyof SystemValues {
  return name !== 'JS' && isSystemVariable(name);
}
