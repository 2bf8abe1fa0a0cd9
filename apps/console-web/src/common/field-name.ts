/**
 * The name of a field that the API refuses, as the form shows it: `labels` has the labels of the form's fields by their names in the API. A
 * field within another one, such as `matrix.total`, follows its label; a field without a label keeps its name.
 */
export function fieldName(path: string, labels: Record<string, string>): string {
  const [head = '', ...rest] = path.split('.');
  const labelOf = (name: string) => (Object.hasOwn(labels, name) ? labels[name] : undefined);
  const label = labelOf(head);
  return labelOf(path) ?? (label === undefined ? path : [label, ...rest].join(' › '));
}
