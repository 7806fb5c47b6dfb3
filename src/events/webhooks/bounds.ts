/** Bounds of webhooks that the console knows too. */

/** The most dead letters that are counted for one webhook. */
export const deadLettersMax = 1_000
