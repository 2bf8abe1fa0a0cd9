import type { ManagementEventAnswer } from '../../api/generated/console-api';

/**
 * The detail of an event as one line of plain text, such as `nome: Orders; alterado: paused`. `nameOf` translates the name of
 * an item.
 */
export function detailText(detail: ManagementEventAnswer['detail'], nameOf: (item: string) => string): string {
  return Object.entries(detail)
    .map(([item, value]) => `${nameOf(item)}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join('; ');
}

/** The name of the actor of an event; empty if the actor is an operator or unknown. */
export function actorText({ name, email, label }: ManagementEventAnswer['by']): string {
  const person = name === '' ? email : name;
  return label === '' ? person : `${person} (${label})`;
}
