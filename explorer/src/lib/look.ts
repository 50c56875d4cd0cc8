/** Returns the colours that some properties have at an element now, for what is drawn on a canvas. */
export function colours<const Names extends readonly string[]>(at: HTMLElement, ...names: Names): { [Place in keyof Names]: string } {
  const probe = document.createElement("span");
  at.append(probe);
  // The properties themselves name both schemes; a computed colour is that of the present one.
  const found = names.map((name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return found as { [Place in keyof Names]: string };
}
