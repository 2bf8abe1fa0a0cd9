import { usageError } from '../exit-codes';
import type { TerminalInput } from './terminal';

/** Asks for a password that is to be set. A terminal asks twice, because a typing error would lock the account out. */
export async function askNewPassword(input: TerminalInput, label: string): Promise<string> {
  const password = await input.ask(`${label}: `, { hidden: true });
  if (!input.isTTY) return password;
  const repeated = await input.ask(`${label} again: `, { hidden: true });
  if (repeated !== password) throw usageError('The two passwords differ; nothing is changed.');
  return password;
}
