import { useMediaQuery } from '@mantine/hooks';

/** True on a screen as narrow as that of a phone. */
export function useNarrowScreen(): boolean {
  return useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
}
