/** Bounds of webhooks, shared with the console. */

/** The most dead letters that are counted for one webhook. */
export const deadLettersMax = 1_000
