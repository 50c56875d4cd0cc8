const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const dayOf = (time: string): string => DAY.format(new Date(time));
export const momentOf = (time: string): string => MOMENT.format(new Date(time));
