import type { ManagementEventAnswer } from '../../api/generated/console-api';

/** Items whose values are words of the product; the values of the others are what people have typed, numbers or ids. */
const ITEMS_WITH_WORDS = ['changed', 'permissions', 'role', 'url'];

/**
 * The detail of an event as one line of plain text, such as `nome: Orders; alterado: pausa dos agendamentos`. `nameOf` translates the
 * name of an item, and `wordOf` a word of the product.
 */
export function eventDetailText(
  detail: ManagementEventAnswer['detail'],
  nameOf: (item: string) => string,
  wordOf: (word: string) => string,
): string {
  return Object.entries(detail)
    .map(([item, value]) => {
      const values = (Array.isArray(value) ? value : [value]).map(String);
      const shown = ITEMS_WITH_WORDS.includes(item) ? values.map(wordOf) : values;
      return `${nameOf(item)}: ${shown.length === 0 ? wordOf('none') : shown.join(', ')}`;
    })
    .join('; ');
}

/**
 * The name of the actor of an event, or the e-mail address of an account of another company, with the label of its credential; empty for an
 * operator and an unknown actor.
 */
export function actorText({ name, email, label }: ManagementEventAnswer['by']): string {
  const person = name === '' ? email : name;
  return label === '' ? person : `${person} (${label})`;
}
