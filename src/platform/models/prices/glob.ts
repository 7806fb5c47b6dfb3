/** Globs over whole names, case-sensitive: `*` stands for any characters, `?` for one. */

/** Whether the name fits the glob. Takes at most the product of both lengths. */
export function fitsGlob(glob: string, name: string): boolean {
  let at = 0
  let from = 0
  /** The last star, and up to where the name counts as its part. */
  let star = -1
  let taken = 0
  while (at < name.length) {
    if (glob[from] === '*') {
      star = from
      taken = at
      from += 1
    } else if (from < glob.length && (glob[from] === '?' || glob[from] === name[at])) {
      from += 1
      at += 1
    } else if (star !== -1) {
      taken += 1
      at = taken
      from = star + 1
    } else return false
  }
  while (glob[from] === '*') from += 1
  return from === glob.length
}
