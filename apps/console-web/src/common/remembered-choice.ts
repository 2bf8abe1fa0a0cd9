import { useState } from 'react';

/**
 * The chosen one of `options`, at first the one that was chosen last in this browser under this name, or else the first; and the function that
 * chooses another one and ignores any other text.
 */
export function useRememberedChoice<Option extends string>(
  name: string,
  options: readonly [Option, ...Option[]],
): [Option, (value: string | null) => void] {
  const key = `batuta.${name}`;
  const optionOf = (value: string | null) => options.find((option) => option === value);
  const [chosen, setChosen] = useState<Option>(() => optionOf(localStorage.getItem(key)) ?? options[0]);
  const choose = (value: string | null) => {
    const option = optionOf(value);
    if (option === undefined) return;
    localStorage.setItem(key, option);
    setChosen(option);
  };
  return [chosen, choose];
}
