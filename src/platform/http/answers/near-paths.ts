/** What a request with a path that is unknown may have meant. */
import { isNear } from '../near-names.ts'

const prefix = '/api/v1/'
/** Longer paths are not looked at. */
const pathLengthMax = 300

/** The path as the template has it, if at most one of its names is misspelled. */
function corrected(path: readonly string[], template: readonly string[]): string | undefined {
  if (path.length !== template.length) return undefined
  let wrong: number | undefined
  for (const [index, segment] of template.entries()) {
    const given = path[index] as string
    if (segment === given || (segment.startsWith(':') && given !== '')) continue
    if (wrong !== undefined || !isNear(segment, given)) return undefined
    wrong = index
  }
  return prefix + path.map((given, index) => (index === wrong ? template[index] : given)).join('/')
}

/** Finds the operation's path that is meant; `templates` are as in `/api/v1/things/:thingId`. */
export function nearPaths(templates: readonly string[]): (path: string) => string | undefined {
  const known = templates.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length).split('/'))
  return (path) => {
    if (path.length > pathLengthMax || /^\/api\/v(?!1\/)/.test(path)) return undefined
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
