// What somebody typed into a form and has not sent: it survives another view, a lost server and a refused key. It is in
// no storage of the browser.
const drafts = $state<Record<string, string>>({});

export const draft = {
  /** Returns a draft, or what the form begins with. */
  of(name: string, first = ""): string {
    return drafts[name] ?? first;
  },
  keep(name: string, text: string): void {
    drafts[name] = text;
  },
  drop(name: string): void {
    delete drafts[name];
  },
};
