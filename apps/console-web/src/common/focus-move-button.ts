/**
 * Focuses the pressed button of an item that was moved in its list, so that Enter moves the item further. Does so when the page shows the new
 * order; if the button is disabled then, at an end of the list, the button beside it gets the focus.
 */
export function focusMoveButton(button: Element | null | undefined): void {
  requestAnimationFrame(() => {
    const enabled = button?.matches(':disabled')
      ? button.parentElement?.querySelector('button:not(:disabled)')
      : button;
    if (enabled instanceof HTMLElement) enabled.focus();
  });
}
