import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** The pause in typing after which the list is filtered. */
const PAUSE_MS = 250;

/**
 * The text of a field whose value is in the address of the page, which changes PAUSE_MS after the last `type`, or at once by `commitNow`. The
 * field has its own state, because React would otherwise restore the old text meanwhile and move the caret to the end. `read` returns the value
 * for the address, or undefined for a text that is not complete.
 */
export function useFilterText(
  value: string,
  read: (text: string) => string | undefined,
  commit: (value: string) => void,
) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const commitSoon = useDebouncedCallback((typed: string) => {
    const next = read(typed);
    if (next === undefined || next === sent.current) return;
    sent.current = next;
    commit(next);
  }, PAUSE_MS);
  useEffect(() => {
    // The change of the address came from this field.
    if (value === sent.current) return;
    // The address was changed elsewhere, as by Back or by "Clear the filters".
    sent.current = value;
    commitSoon.cancel();
    setText(value);
  }, [value, commitSoon]);
  const type = (typed: string) => {
    setText(typed);
    commitSoon(typed);
  };
  return { text, type, commitNow: commitSoon.flush };
}
