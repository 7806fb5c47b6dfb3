/** What a request with a path that is unknown may have meant. */

const prefix = '/api/v1/'

/** Without what people vary: case, hyphens and underscores, the plural. */
const plain = (segment: string) => segment.toLowerCase().replaceAll(/[-_]/g, '').replace(/s$/, '')

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

/** The path as the template has it, if at most one of its names is misspelled. */
function corrected(path: readonly string[], template: readonly string[]): string | undefined {
  if (path.length !== template.length) return undefined
  let wrong: number | undefined
  for (const [index, segment] of template.entries()) {
    const given = path[index] as string
    if (segment === given || (segment.startsWith(':') && given !== '')) continue
    if (wrong !== undefined || !isTypo(plain(segment), plain(given))) return undefined
    wrong = index
  }
  return prefix + path.map((given, index) => (index === wrong ? template[index] : given)).join('/')
}

/** Finds the operation's path that is meant; `templates` are as in `/api/v1/things/:thingId`. */
export function nearPaths(templates: readonly string[]): (path: string) => string | undefined {
  const known = templates.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length).split('/'))
  return (path) => {
    if (/^\/api\/v(?!1\/)/.test(path)) return undefined
    // a path may also lack its beginning, or a part of it
    const given = path
      .replace(/^\/(?:api\/)?(?:v1\/)?/, '')
      .replace(/\/$/, '')
      .split('/')
    for (const template of known) {
      const found = corrected(given, template)
      if (found !== undefined) return found
    }
    return undefined
  }
}
