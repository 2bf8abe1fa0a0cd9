import type { AccessibleProcess } from '../access/process-access.service';

/**
 * The account whose starts the caller may see: its own for the holder of a share; undefined (all accounts) for the
 * owner (interpretation 51).
 */
export function visibleStarter({ owned }: AccessibleProcess, accountID: string): string | undefined {
  return owned ? undefined : accountID;
}
