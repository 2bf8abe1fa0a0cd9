import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const SOURCE = join(__dirname, '../../../apps/console-web/src');

interface Element {
  file: string;
  tag: string;
  attributes: string[];
}

const elements = globSync('**/*.tsx', { cwd: SOURCE }).flatMap(elementsOf);

test('no form lets the browser check its fields, which it would do with texts in its own language', () => {
  const forms = elements.filter(({ tag }) => tag === 'form');
  expect(forms.length).toBeGreaterThan(20);
  expect(forms.filter(({ attributes }) => !attributes.includes('noValidate')).map(({ file }) => file)).toEqual([]);
});

test('no field has a rule that only the browser would check', () => {
  const rules = ['pattern', 'minLength'];
  const ruled = elements.filter(({ attributes }) => rules.some((rule) => attributes.includes(rule)));
  expect(ruled.map(({ file, tag }) => `${file} ${tag}`)).toEqual([]);
});

/** The elements of a file with the names of their attributes. */
function elementsOf(file: string): Element[] {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  const root = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: Element[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const attributes = node.attributes.properties.flatMap(({ name }) => (name ? [name.getText(root)] : []));
      found.push({ file, tag: node.tagName.getText(root), attributes });
    }
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}
