/** Pixels beside the picture of a timeline, for its numbers and for its end: what stands below is as wide. */
export const LEFT = 70;
export const RIGHT = 12;
