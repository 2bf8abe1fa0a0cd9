import { convertValue, type MatrixType } from '@batuta/matrix';
import {
  fieldVariable,
  isFieldVariable,
  isSystemVariable,
  variableOf,
  type SystemVariable,
  type ReadableVariables,
} from '@batuta/flow';
import { MASK_TEXT, redactJson, type Mask } from '@batuta/masking';
import type { KeptPicture } from '../../evidence/evidence-sink';
import { ExecutionFiles, type ExecutionFile } from '../files/execution-files';
import { StepError } from '../../step-error';

/**
 * `marked`: sensitive by the author's choice or by type. `derived`: computed from a sensitive value. Neither is
 * shown, but a short derived value may occur in other text.
 */
export type Secrecy = 'open' | 'derived' | 'marked';

interface ScopedVariable {
  value: unknown;
  type?: MatrixType | undefined;
  secrecy: Secrecy;
}

/** The variables for one evaluation. `secrecy` becomes `derived` once the evaluation has read a sensitive variable. */
export interface ScopeView extends ReadableVariables {
  readonly secrecy: 'open' | 'derived';
}

/**
 * What an evaluation may read in addition to variables. `ownField` is the mapping field whose value its plain name
 * reads.
 */
interface ViewOptions {
  withVault?: boolean;
  withMapping?: boolean;
  ownField?: string;
}

export type SystemValues = Record<Exclude<SystemVariable, 'JS'>, unknown>;

/**
 * All variables of one execution (contract 2.11, 2.12): Matrix values under `matrix.x`, flow and automatic variables,
 * system variables, and vault values under `vault.KEY`, which only the fields of steps may read. No variable outlives the
 * execution or changes a registered value (interpretation 45). Setting a sensitive value throws StepError when the execution has more
 * sensitive text than it can mask.
 */
export class ExecutionScope {
  readonly files = new ExecutionFiles();
  private readonly variables = new Map<string, ScopedVariable>();
  /** The files of variables whose `{name.OCR}` has not been read yet. */
  private readonly unread = new Map<string, ExecutionFile>();
  private readonly vault: Map<string, string>;

  constructor(
    matrix: readonly { name: string; type: MatrixType; value: unknown }[],
    vault: Readonly<Record<string, string>>,
    private readonly system: { readonly values: SystemValues; isDerived(name: string): boolean },
    private readonly mask: Mask,
  ) {
    this.vault = new Map(Object.entries(vault));
    for (const secret of this.vault.values()) mask.hide(secret);
    for (const { name, type, value } of matrix) this.put(`matrix.${name}`, value, type, 'open');
  }

  /** The variables as rows read them, which may not use `{vault.KEY}`. */
  rowView(): ScopeView {
    return this.view({});
  }

  /** The variables as the fields of a step, conditions and validation read them, which may use `{vault.KEY}`, and the mapping as `{{name}}`. */
  fieldView(): ScopeView {
    return this.view({ withVault: true, withMapping: true });
  }

  /** The variables as the values of the step's mapping read them, in which `{{name}}` is text. */
  mappingView(): ScopeView {
    return this.view({ withVault: true });
  }

  /** The variables as the validation of a field of the step's mapping reads them: the name of the field reads its value. */
  validationView(field: string): ScopeView {
    return this.view({ withVault: true, ownField: field });
  }

  /** The variables for a text that is only shown: sensitive ones and their fields read as hidden, however short they are. */
  maskedView(): ReadableVariables {
    const view = this.fieldView();
    const isHidden = (name: string) => this.isSensitive(variableOf(name, view) ?? '');
    return {
      has: (name) => view.has(name) || isHidden(name),
      get: (name) => (isHidden(name) ? MASK_TEXT : view.get(name)),
      typeOf: (name) => (isHidden(name) ? undefined : view.typeOf?.(name)),
    };
  }

  /** Masks sensitive values in a JSON text, so that it may be shown. */
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

  /**
   * Converts the value to the type of an existing variable and sets it. A marked variable stays marked. Throws StepError for a system variable
   * and one that does not exist, ApiError INVALID_MATRIX for a value that does not fit the type.
   */
  assign(name: string, value: unknown, secrecy: Secrecy): unknown {
    if (isSystemVariable(name)) throw new StepError('is a system variable and cannot be set');
    const target = this.variables.get(name);
    if (!target) throw new StepError('is assigned but does not exist');
    const converted = target.type ? convertValue(target.type, value, name, 'assign') : value;
    return this.put(name, converted, target.type, target.secrecy === 'marked' ? 'marked' : secrecy);
  }

  /**
   * Sets the automatic variable of a step (`as`), which has no type, and removes the `{name.FILE}`, `{name.BUFFER}` and `{name.OCR}` of an
   * earlier file. With a file it sets these three anew. Throws StepError when the file, or the files of the execution together, have too many
   * bytes; the variable itself is set nevertheless.
   */
  setAutomatic(name: string, value: unknown, secrecy: Secrecy, file?: ExecutionFile): void {
    this.put(name, value, undefined, secrecy);
    if (this.files.drop(name)) for (const part of ['FILE', 'BUFFER', 'OCR']) this.remove(`${name}.${part}`);
    if (!file) return;
    this.put(`${name}.FILE`, this.files.keep(name, file), undefined, 'open');
    this.variables.set(`${name}.BUFFER`, encodedFile(file.bytes));
    const text = {
      get value(): never {
        throw new StepError(`{${name}.OCR}: the text of a picture can be read after the step that gave the picture`);
      },
      secrecy: 'open' as const,
    };
    this.variables.set(`${name}.OCR`, text);
    this.unread.set(`${name}.OCR`, file);
  }

  /**
   * Returns a function that empties those of the variables `{connector.name}` that were not set since this call, and creates `{as}` empty where it
   * does not exist.
   */
  watchResults(connector: readonly string[], as: string | undefined): () => void {
    const before = connector.map((name) => [`connector.${name}`, this.variables.get(`connector.${name}`)] as const);
    return () => {
      const unset = before.filter(([name, variable]) => this.variables.get(name) === variable);
      for (const [name] of unset) this.put(name, null, undefined, 'open');
      if (as !== undefined && !this.variables.has(as)) this.put(as, null, undefined, 'open');
    };
  }

  /**
   * Sets `{name.evidence}`, the link of a picture (empty if the picture is not kept), and `{name.evidence_BUFFER}`, and forgets an earlier
   * picture of the variable. Throws StepError when the files of the execution have too many bytes together.
   */
  setEvidence(name: string, { picture, link }: KeptPicture): void {
    const { bytes, mediaType } = picture;
    // The picture counts against the byte limit of the execution's files.
    this.files.keep(`${name}.evidence`, { name: 'evidence', contentType: mediaType, bytes });
    this.put(`${name}.evidence`, link ?? '', undefined, 'open');
    this.variables.set(`${name}.evidence_BUFFER`, encodedFile(bytes));
  }

  /** The file of a `{name.OCR}` whose text has not been read yet; undefined otherwise. */
  unreadPicture(variable: string): ExecutionFile | undefined {
    return this.unread.get(variable);
  }

  /** Sets a `{name.OCR}` to the text of its picture, which `unreadPicture` then no longer returns. */
  setPictureText(variable: string, text: string): void {
    this.put(variable, text, undefined, 'open');
  }

  /**
   * Sets a field of the current step's mapping, which `{{name}}` reads in the step's fields until `clearFields`.
   * Throws ApiError INVALID_MATRIX for a value that does not fit the type.
   */
  setField(name: string, value: unknown, type: MatrixType | undefined, secrecy: Secrecy): unknown {
    const converted = type ? convertValue(type, value, name, 'assign') : value;
    return this.put(fieldVariable(name), converted, type, secrecy);
  }

  clearFields(names: Iterable<string>): void {
    for (const name of names) this.variables.delete(fieldVariable(name));
  }

  /** Masks a value in the log that was computed from sensitive variables and is held by no variable of this scope. */
  hideDerived(value: unknown): void {
    this.mask.hideDerived(value);
  }

  /** Masks a secret in the log that no variable holds, such as the password in an address. */
  hide(secret: string): void {
    this.mask.hide(secret);
  }

  isSensitive(name: string): boolean {
    const variable = this.variables.get(name);
    if (variable) return variable.secrecy !== 'open';
    return name.startsWith('vault.') || this.system.isDerived(name);
  }

  typeOf(name: string): MatrixType | undefined {
    return this.variables.get(name)?.type;
  }

  private put(name: string, value: unknown, type: MatrixType | undefined, given: Secrecy): unknown {
    const secrecy = type === 'Secreto' ? 'marked' : given;
    // The value is registered for masking first: a value that cannot be masked must not become readable.
    if (secrecy === 'marked') this.mask.hide(value, type);
    if (secrecy === 'derived') this.mask.hideDerived(value);
    this.unread.delete(name);
    this.variables.set(name, { value, type, secrecy });
    return value;
  }

  private remove(name: string): void {
    this.variables.delete(name);
    this.unread.delete(name);
  }

  private view({ withVault = false, withMapping = false, ownField }: ViewOptions): ScopeView {
    let secrecy: ScopeView['secrecy'] = 'open';
    const isHiddenField = (written: string) => !withMapping && isFieldVariable(written);
    const nameOf = (name: string) => (name === ownField ? fieldVariable(name) : name);
    const vaultKey = (name: string) => (name.startsWith('vault.') ? name.slice('vault.'.length) : undefined);
    return {
      has: (written) => {
        if (isHiddenField(written)) return false;
        const name = nameOf(written);
        const key = vaultKey(name);
        if (key !== undefined) return withVault && this.vault.has(key);
        return this.variables.has(name) || isSystemValue(name);
      },
      get: (written) => {
        if (isHiddenField(written)) return undefined;
        const name = nameOf(written);
        if (this.isSensitive(name)) secrecy = 'derived';
        const key = vaultKey(name);
        if (key !== undefined) return withVault ? this.vault.get(key) : undefined;
        const variable = this.variables.get(name);
        if (variable) return variable.value;
        return isSystemValue(name) ? this.system.values[name] : undefined;
      },
      typeOf: (name) => this.typeOf(nameOf(name)),
      get secrecy() {
        return secrecy;
      },
    };
  }
}

/** A file's Base64 text is made only when it is read, because most files are just passed on. */
function encodedFile(bytes: Buffer): ScopedVariable {
  return {
    get value() {
      return bytes.toString('base64');
    },
    secrecy: 'open',
  };
}

function isSystemValue(name: string): name is keyof SystemValues {
  return name !== 'JS' && isSystemVariable(name);
}
