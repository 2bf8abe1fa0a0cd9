import { picturesReadBy, referencesIn, variableOf, type Flow, type StepText } from '@batuta/flow';
import type { Effects } from '../../execution/effects';
import type { Journal } from '../../execution/journal';
import type { ExecutionScope } from '../../execution/scope/execution-scope';
import { StepError } from '../../step-error';

/**
 * Reads the text of pictures whose `{name.OCR}` a template is about to use (contract 2.12, interpretation 61). `prepare` runs
 * before the template is filled in, because variables are read synchronously and reading a picture takes seconds. A
 * picture to which nothing refers is never read.
 */
export class PictureTexts {
  private readonly isUsed: boolean;

  constructor(
    flow: Flow,
    private readonly scope: ExecutionScope,
    private readonly journal: Journal,
    private readonly effects: Pick<Effects, 'pictures' | 'control' | 'monotonicNow'>,
  ) {
    this.isUsed = picturesReadBy(flow).length > 0;
  }

  /**
   * Reads the pictures to which the templates of `texts` refer, each once; `texts` is called only when the flow reads pictures.
   * Throws StepError, with the reference, for a file whose text cannot be read, and StoppedError at a stop.
   */
  async prepare(texts: () => readonly StepText[]): Promise<void> {
    if (!this.isUsed) return;
    const view = this.scope.fieldView();
    for (const text of texts()) {
      for (const { name } of referencesIn(text, (candidate) => variableOf(candidate, view) !== undefined)) {
        await this.read(variableOf(name, view) ?? '');
      }
    }
  }

  private async read(variable: string): Promise<void> {
    const file = this.scope.unreadPicture(variable);
    if (!file) return;
    const begunAt = this.effects.monotonicNow();
    try {
      const text = await this.effects.pictures.read(file.bytes, this.effects.control.signal);
      this.scope.setPictureText(variable, text);
      await this.journal.info(
        `read ${text.length} characters from the picture ${file.name} in ${this.effects.monotonicNow() - begunAt} ms`,
      );
    } catch (error) {
      if (error instanceof StepError) throw new StepError(`{${variable}}: the file ${file.name}: ${error.message}`);
      throw error;
    }
  }
}
