// Keys of the keyboard that hold in every view. While somebody types there is one: Escape, which leaves the field.

const TYPED = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

/** Does what a table has for a key that is pressed, until the returned function is called. */
export function listen(actions: Record<string, () => void>): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof HTMLElement && event.target.matches(TYPED)) {
      if (event.key !== "Escape") return;
      // A field of searching would be emptied.
      event.preventDefault();
      event.target.blur();
      return;
    }
    if (event.key in STEPS && !event.shiftKey && stepped(event.key)) return event.preventDefault();
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

const STEPS: Record<string, 1 | -1> = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };
const GROUPS = "nav, [role=group], [role=menu], ul.legend";

/** Moves the focus within a bar, a list of links or a menu, or up and down the items of a view; false where it is in none. */
function stepped(key: string): boolean {
  const here = document.activeElement;
  const step = STEPS[key];
  if (!(here instanceof HTMLElement) || !step) return false;
  const members = [...(here.closest(GROUPS)?.querySelectorAll<HTMLElement>("a, button:not(:disabled), summary") ?? [])];
  if (members.includes(here)) members[members.indexOf(here) + step]?.focus();
  else if (here.closest("[data-item]") && (key === "ArrowUp" || key === "ArrowDown")) focusItem(step);
  else return false;
  return true;
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
