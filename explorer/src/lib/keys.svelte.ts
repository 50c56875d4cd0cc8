// Keys of the keyboard that hold in every view. They do nothing while somebody types.

const TYPED = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

/** Does what a table has for a key that is pressed, until the returned function is called. */
export function listen(actions: Record<string, () => void>): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.matches(TYPED)) return;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

/** Focuses the field that a view is asked by. */
export function focusField(): void {
  document.querySelector<HTMLElement>("main [data-field]")?.focus();
}

/** Moves the focus to the next item of the list that a view shows, or to the one before. */
export function focusItem(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>("main [data-item]")];
  const here = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[here < 0 ? (step > 0 ? 0 : items.length - 1) : here + step];
  next?.focus();
}
