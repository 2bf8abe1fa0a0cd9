import { convertValue, type MatrixType } from '@batuta/matrix';
import { isSystemVariable, variableOf, type SystemVariable, type Variables } from '@batuta/flow';
import { HIDDEN, type Mask } from '../masking/mask';
import { StepError } from './step-error';

/** `marked` = the author or its type says so; `derived` = made out of such a value. Neither is ever shown. */
export type Secrecy = 'open' | 'derived' | 'marked';

interface Variable {
  value: unknown;
  type?: MatrixType | undefined;
  secrecy: Secrecy;
}

/** Variables as one evaluation sees them; remembers whether it read a sensitive one. */
export interface Reading extends Variables {
  readonly secrecy: 'open' | 'derived';
}

export type SystemValues = Record<Exclude<SystemVariable, 'JS'>, unknown>;

/**
 * All variables of one execution (contract 2.11, 2.12): Matrix values under `matrix.x`, flow and automatic variables, the
 * runtime's own, and vault values under `vault.KEY`, which only the fields of steps may read. Nothing outlives the
 * execution, and nothing changes what is registered (interpretation 45).
 */
export class ExecutionScope {
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

  /** For rows, which accept no `{vault.KEY}`. */
  reading(): Reading {
    return this.read(false);
  }

  /** For the step's own fields, conditions and validation, which may use `{vault.KEY}` as well. */
  fieldReading(): Reading {
    return this.read(true);
  }

  /** For a text that is only shown: what is sensitive, or a field of it, reads as hidden, however short it is. */
  shownReading(): Variables {
    const reading = this.fieldReading();
    const isHidden = (name: string) => this.isSensitive(variableOf(name, reading) ?? '');
    return {
      has: (name) => reading.has(name) || isHidden(name),
      get: (name) => (isHidden(name) ? HIDDEN : reading.get(name)),
      typeOf: (name) => (isHidden(name) ? undefined : reading.typeOf?.(name)),
    };
  }

  /**
   * Makes a flow variable. A row that runs again, in a loop, sets it again.
   * Throws ApiError INVALID_MATRIX for a value that does not fit, StepError for a name that is not the author's to use.
   */
  create(name: string, value: unknown, type: MatrixType | undefined, secrecy: Secrecy): unknown {
    if (isSystemVariable(name)) throw new StepError('is a system variable and cannot be set');
    if (/^(matrix|connector|vault)\./.test(name)) throw new StepError('a new variable cannot carry this prefix');
    return this.put(name, type ? convertValue(type, value, name, 'assign') : value, type, secrecy);
  }

  /** Sets a variable that exists, converted to its type; one that is sensitive stays so. */
  assign(name: string, value: unknown, secrecy: Secrecy): unknown {
    if (isSystemVariable(name)) throw new StepError('is a system variable and cannot be set');
    const target = this.variables.get(name);
    if (!target) throw new StepError('is assigned but does not exist');
    const converted = target.type ? convertValue(target.type, value, name, 'assign') : value;
    return this.put(name, converted, target.type, target.secrecy === 'marked' ? 'marked' : secrecy);
  }

  /** The automatic variable of a step (`as`): untyped, kept as delivered. */
  deliver(name: string, value: unknown, secrecy: Secrecy): void {
    this.put(name, value, undefined, secrecy);
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
    // Hidden first: what cannot be hidden must not become readable either.
    if (secrecy === 'marked') this.mask.hide(value, type);
    if (secrecy === 'derived') this.mask.hideDerived(value);
    this.variables.set(name, { value, type, secrecy });
    return value;
  }

  private read(withVault: boolean): Reading {
    let secrecy: Reading['secrecy'] = 'open';
    const vaultKey = (name: string) => (name.startsWith('vault.') ? name.slice('vault.'.length) : undefined);
    return {
      has: (name) => {
        const key = vaultKey(name);
        if (key !== undefined) return withVault && this.vault.has(key);
        return this.variables.has(name) || isReadable(name);
      },
      get: (name) => {
        if (this.isSensitive(name)) secrecy = 'derived';
        const key = vaultKey(name);
        if (key !== undefined) return withVault ? this.vault.get(key) : undefined;
        const variable = this.variables.get(name);
        if (variable) return variable.value;
        return isReadable(name) ? this.system.values[name] : undefined;
      },
      typeOf: (name) => this.typeOf(name),
      get secrecy() {
        return secrecy;
      },
    };
  }
}

function isReadable(name: string): name is keyof SystemValues {
  return name !== 'JS' && isSystemVariable(name);
}
