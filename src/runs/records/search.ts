/** Search in how runs begin: all words have to be there, in any order, whatever their case. */

export type Search = (beginning: string | null) => boolean

const folded = (text: string) => text.normalize('NFKC').toLocaleLowerCase('en')

/** What finds these words. */
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
