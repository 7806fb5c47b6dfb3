/** Names that are meant by misspelled ones. */

/** Without what people vary: case, hyphens and underscores, the plural. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '').replace(/s$/, '')

/** Whether two texts differ by one character that is missing, added or wrong, or by two that are swapped. */
function isTypo(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  let before = 0
  while (before < shorter && one[before] === other[before]) before += 1
  let behind = 0
  while (behind < shorter - before && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1
  const [left, right] = [one, other].map((text) => text.slice(before, text.length - behind)) as [string, string]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right === `${left[1]}${left[0]}`
}

/** Names this short are near to too many others. */
const lengthMin = 3

/** Whether one name may be meant by the other. */
export const isNear = (name: string, given: string): boolean =>
  Math.min(name.length, given.length) >= lengthMin && isTypo(plain(name), plain(given))

/** The hint to the name that is meant, if there is one: `Did you mean agentId? `. */
export function didYouMean(given: string, names: readonly string[]): string {
  const meant = names.find((name) => isNear(name, given))
  return meant === undefined ? '' : `Did you mean ${meant}? `
}
