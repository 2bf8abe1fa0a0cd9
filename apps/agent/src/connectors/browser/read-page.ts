import type { Locator } from 'playwright-core';
import { StepError } from '../../step-error';

/** Maximum number of characters that one action reads. */
export const MAX_READ_CHARACTERS = 1_000_000;
const MAX_ELEMENTS = 10_000;

// Functions below that are passed to `evaluate` run inside of the page, so they use nothing defined outside of
// themselves.

/** The members of an element of a page that reading needs. */
interface PageElement {
  tagName: string;
  value?: unknown;
  innerText?: string;
  textContent: string | null;
  getAttribute(name: string): string | null;
}

interface TablePart extends PageElement {
  colSpan?: number;
  rowSpan?: number;
  closest(selector: string): TablePart | null;
  matches(selector: string): boolean;
  querySelectorAll(selector: string): Iterable<TablePart>;
}

/** What to read of an element: an attribute, or its text when `attribute` is null. */
interface ReadTarget {
  attribute: string | null;
  /** Characters that may be read; of a longer text one more is returned, by which the caller notices it. */
  max: number;
}

/**
 * Reads one element, which may take `timeout` milliseconds to appear; null for an attribute that the element lacks. Throws StepError for a text
 * above MAX_READ_CHARACTERS.
 */
export async function readOne(element: Locator, attribute: string | null, timeout: number): Promise<string | null> {
  const texts = await element.evaluate(textsInPage, { attribute, max: MAX_READ_CHARACTERS } satisfies ReadTarget, {
    timeout,
  });
  const [text = null] = checkTexts(texts);
  return text;
}

/**
 * Reads every element that matches now as `readOne` does, without waiting. Throws StepError for more than MAX_ELEMENTS elements, or more than
 * MAX_READ_CHARACTERS characters of all texts together.
 */
export async function readAll(elements: Locator, attribute: string | null): Promise<(string | null)[]> {
  const count = await elements.count();
  if (count > MAX_ELEMENTS) throw new StepError(`the selector finds more than ${MAX_ELEMENTS} elements`);
  const texts = await elements.evaluateAll(textsInPage, { attribute, max: MAX_READ_CHARACTERS } satisfies ReadTarget);
  return checkTexts(texts);
}

/**
 * Reads the texts of a table, row by row, the header first. Throws StepError above `maxRows` rows or
 * MAX_READ_CHARACTERS characters.
 */
export async function readCells(table: Locator, maxRows: number, timeout: number): Promise<string[][]> {
  const rows = await table.evaluate(cellsInPage, { maxRows, max: MAX_READ_CHARACTERS }, { timeout });
  if (rows.length - 1 > maxRows) throw new StepError(`the table has more than ${maxRows} rows`);
  checkTexts(rows.flat());
  return rows;
}

/**
 * Checks that the page returned texts: it may have replaced the functions by which it is read, so values of any type
 * may arrive.
 */
function checkTexts<Text extends string | null>(texts: Text[]): Text[] {
  const isText = texts.every((text: unknown) => text === null || typeof text === 'string');
  if (!isText) throw new StepError('the page gives something else than text there');
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (characters > MAX_READ_CHARACTERS)
    throw new StepError(`the page shows more than ${MAX_READ_CHARACTERS} characters there: read less at a time`);
  return texts;
}

function textsInPage(found: PageElement | PageElement[], { attribute, max }: ReadTarget): (string | null)[] {
  let left = max + 1;
  return (Array.isArray(found) ? found : [found]).map((element) => {
    const isField = /^(input|textarea|select)$/i.test(element.tagName);
    const content = isField && typeof element.value === 'string' ? element.value : undefined;
    const text =
      attribute === null
        ? (content ?? element.innerText ?? element.textContent ?? '')
        : attribute === 'value' && content !== undefined
          ? content
          : element.getAttribute(attribute);
    const cut = text === null ? null : text.slice(0, left);
    left -= cut?.length ?? 0;
    return cut;
  });
}

function cellsInPage(table: TablePart, { maxRows, max }: { maxRows: number; max: number }): string[][] {
  const cells = 'th,td,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]';
  const tables = 'table,[role=table],[role=grid],[role=treegrid]';
  const isTable = table.matches(tables);
  const rows = [...table.querySelectorAll('tr,[role=row]')].filter((row) => !isTable || row.closest(tables) === table);
  const heads = rows.filter((row) => row.closest('thead'));
  const head = heads.at(-1) ?? rows[0];
  const body = rows.filter((row) => row !== head && !heads.includes(row)).slice(0, maxRows + 1);
  let left = max + 1;
  let section: TablePart | null = null;
  // By column: the text of a cell that spans rows, and how many further rows it spans. A span ends with its thead, tbody or tfoot.
  let spans: { text: string; rows: number }[] = [];
  const cellsOf = (row: TablePart): string[] => {
    const texts: string[] = [];
    const add = (text: string) => {
      const cut = text.slice(0, left);
      left -= cut.length;
      texts.push(cut);
    };
    const addSpanned = () => {
      for (let span = spans[texts.length]; span && span.rows > 0; span = spans[texts.length]) {
        span.rows -= 1;
        add(span.text);
      }
    };
    if (row.closest('thead,tbody,tfoot') !== section) spans = [];
    section = row.closest('thead,tbody,tfoot');
    for (const cell of row.querySelectorAll(cells)) {
      if (cell.closest('tr,[role=row]') !== row) continue;
      addSpanned();
      const text = (cell.innerText ?? cell.textContent ?? '').trim();
      for (let column = 0; column < Math.min(cell.colSpan ?? 1, 100); column += 1) {
        spans[texts.length] = {
          text: column === 0 ? text : '',
          rows: (cell.rowSpan === 0 ? Infinity : (cell.rowSpan ?? 1)) - 1,
        };
        add(column === 0 ? text : '');
      }
    }
    addSpanned();
    return texts;
  };
  // Cells of the upper rows of the header may span its last row, whose texts name the columns.
  for (const row of heads.slice(0, -1)) cellsOf(row);
  left = max + 1;
  return [...(head ? [head] : []), ...body].map(cellsOf);
}
