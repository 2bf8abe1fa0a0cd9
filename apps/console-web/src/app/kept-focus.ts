import { useEffect, type RefObject } from 'react';

/** An element on the way from the focused one up to the page, with its position among its siblings. */
interface Place {
  element: Element;
  index: number;
}

/** Selector of the elements that may get the focus. Fields are left out, because a phone shows its keyboard for a field that has the focus. */
const CONTROL_SELECTOR = 'button:not(:disabled, [tabindex="-1"]), a[href], div[tabindex="0"]:not([contenteditable])';

/**
 * When the focused element leaves the page, such as the button that removes an item of a list, the focus goes to what takes its place, or else to the
 * nearest control before it: otherwise it would go to the document, and the keyboard and screen readers would begin again at its start.
 */
export function useKeptFocus(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = page.current;
    if (!root) return undefined;
    /** The focused element first, the page last. */
    let places: Place[] = [];
    const isGone = () => places[0]?.element.isConnected === false;
    const remember = ({ target }: FocusEvent) => {
      places = target instanceof Element ? placesUpTo(target, root) : [];
    };
    // Browsers also send `focusout` for an element that is being removed. The microtask runs after the removal and sees which case it is.
    const forget = () =>
      queueMicrotask(() => {
        if (!isGone() && document.activeElement !== places[0]?.element) places = [];
      });
    const observer = new MutationObserver(() => {
      if (!isGone() || document.activeElement !== document.body) return;
      const next = controlNear(places);
      places = [];
      next?.focus({ preventScroll: true });
    });
    root.addEventListener('focusin', remember);
    root.addEventListener('focusout', forget);
    observer.observe(root, { childList: true, subtree: true });
    return () => {
      root.removeEventListener('focusin', remember);
      root.removeEventListener('focusout', forget);
      observer.disconnect();
    };
  }, [page]);
}

function placesUpTo(element: Element, root: Element): Place[] {
  if (element === root) return [];
  const { parentElement: parent } = element;
  if (!parent) return [];
  const index = [...parent.children].indexOf(element);
  return [{ element, index }, ...(parent === root ? [{ element: root, index: 0 }] : placesUpTo(parent, root))];
}

/**
 * A control in the nearest element that is still on the page and has one: in the child at the position of the removed one, or else in the nearest
 * child before it, or else in a later one.
 */
function controlNear(places: readonly Place[]): HTMLElement | undefined {
  for (const [depth, { element }] of places.entries()) {
    const index = places[depth - 1]?.index;
    if (index === undefined || !element.isConnected) continue;
    const children = [...element.children];
    const before = children.slice(0, index).toReversed();
    const controls = [
      ...children.slice(index, index + 1).map(firstControl),
      ...before.map(lastControl),
      ...children.slice(index + 1).map(firstControl),
    ];
    const control = controls.find((one) => one instanceof HTMLElement);
    if (control) return control;
  }
  return undefined;
}

const firstControl = (element: Element) =>
  element.matches(CONTROL_SELECTOR) ? element : element.querySelector(CONTROL_SELECTOR);
const lastControl = (element: Element) =>
  element.matches(CONTROL_SELECTOR) ? element : [...element.querySelectorAll(CONTROL_SELECTOR)].at(-1);
