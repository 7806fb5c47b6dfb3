/** What people might have written into the fields of the API: plain words, or the worst that a page can be given. */

/** A text for a field that holds so many characters at most. */
export type Words = (plain: string, lengthMax?: number) => string

export const plainWords: Words = (plain) => plain

/** Set to true by whatever of the hostile words runs as a script. */
export const flag = 'hostileWordsRan'

const attacks = [
  `<img src=x onerror="window.${flag}=true">`,
  `<script>window.${flag}=true</script>`,
  `"><svg onload="window.${flag}=true">`,
  `javascript:window.${flag}=true`,
  // nothing to see; four bytes each, of which one is made of four; and the writing turned around, and not back
  '\u200b\ufeff𝕏👩‍💻\u202etxt.exe',
].join('')

/** How it begins, all attacks, and then a word without a place to break it, as long as the field allows. */
export const hostileWords: Words = (plain, lengthMax = 200) =>
  (plain.slice(0, 8) + attacks + 'W'.repeat(lengthMax)).slice(0, lengthMax)

/** For names that are letters, digits and hyphens: as long as they may be. */
export const longName = (plain: string, lengthMax: number): string =>
  (plain + 'w'.repeat(lengthMax)).slice(0, lengthMax)

/** The same for fields that take printable ASCII only; without spaces. */
export const printable = (text: string): string => text.replace(/[^\x21-\x7e]/g, '/')
