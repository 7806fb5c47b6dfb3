/** Globs over whole names, case-sensitive: `*` matches any characters, `?` exactly one. */

/** Whether the name matches the glob. The time is at most proportional to the product of both lengths. */
export function fitsGlob(glob: string, name: string): boolean {
  let at = 0
  let from = 0
  /** The last star, and the end of the part of the name that it matches. */
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
