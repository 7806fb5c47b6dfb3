/** Searches the beginnings of runs: all words must occur, in any order, case-insensitive. */

export type Search = (beginning: string | null) => boolean

const folded = (text: string) => text.normalize('NFKC').toLocaleLowerCase('en')

/** The pattern of these words. */
export function searchFor(words: string): Search {
  const wanted = folded(words)
    .split(/\s+/)
    .filter((word) => word !== '')
  return (beginning) => {
    if (beginning === null) return false
    const text = folded(beginning)
    return wanted.every((word) => text.includes(word))
  }
}
