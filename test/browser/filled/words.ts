/** Texts for the fields of the API: plain words, or hostile input. */

/** A text for a field with this maximum length. */
export type Words = (plain: string, lengthMax?: number) => string

export const plainWords: Words = (plain) => plain

/** Set to true by any part of the hostile text that runs as a script. */
export const flag = 'hostileWordsRan'

const attacks = [
  `<img src=x onerror="window.${flag}=true">`,
  `<script>window.${flag}=true</script>`,
  `"><svg onload="window.${flag}=true">`,
  `javascript:window.${flag}=true`,
  // invisible characters; four-byte characters, one of them a sequence of four; and a text direction override left open
  '\u200b\ufeff𝕏👩‍💻\u202etxt.exe',
].join('')

/** The plain text, all attacks, and then a word without a break opportunity, up to the limit of the field. */
export const hostileWords: Words = (plain, lengthMax = 200) =>
  (plain.slice(0, 8) + attacks + 'W'.repeat(lengthMax)).slice(0, lengthMax)

/** For names of letters, digits and hyphens: as long as allowed. */
export const longName = (plain: string, lengthMax: number): string =>
  (plain + 'w'.repeat(lengthMax)).slice(0, lengthMax)

/** The same for fields that take printable ASCII only; without spaces. */
export const printable = (text: string): string => text.replace(/[^\x21-\x7e]/g, '/')
