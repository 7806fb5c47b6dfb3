/** Searches texts of lists: all words must occur, in any order, case-insensitive. */

export type Search = (text: string | null) => boolean

const folded = (text: string) => text.normalize('NFKC').toLocaleLowerCase('en')

/** The pattern of these words. */
export function searchFor(words: string): Search {
  const wanted = folded(words)
    .split(/\s+/)
    .filter((word) => word !== '')
  return (text) => {
    if (text === null) return false
    const whole = folded(text)
    return wanted.every((word) => whole.includes(word))
  }
}
