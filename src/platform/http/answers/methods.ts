/** Tells an unknown path (404) from a known one with another method (405). Source: contract 0, "Foreign = missing". */
import { type ApiError, methodNotAllowed, unknownPath } from './errors.ts'
import { nearPaths } from './near-paths.ts'

const reads = new Set(['GET', 'HEAD'])

/** Whether the method is a read. */
export const isRead = (method: string): boolean => reads.has(method)

interface Route {
  method: string
  path: string
}

/** `/runs/:id/*` as a regular expression for whole paths, with or without a trailing slash. */
const patternOf = (path: string) =>
  new RegExp(
    `^${path
      .replace(/\/$/, '')
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)))
      .join('/')}/?$`,
  )

/** The errors for requests without a route; reads the routes on first use. */
export function routeMisses(routes: () => readonly Route[]): (path: string) => ApiError {
  let known: { pattern: RegExp; methods: Set<string> }[] | undefined
  let near: ReturnType<typeof nearPaths> | undefined
  return (path) => {
    if (!known) {
      const byPath = new Map<string, Set<string>>()
      for (const route of routes()) {
        const methods = byPath.get(route.path) ?? new Set()
        byPath.set(route.path, methods.add(route.method))
        if (route.method === 'GET') methods.add('HEAD')
      }
      known = [...byPath].map(([template, methods]) => ({ pattern: patternOf(template), methods }))
    }
    const allowed = new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]))
    if (allowed.size > 0) return methodNotAllowed([...allowed].sort())
    near ??= nearPaths(routes().map((route) => route.path))
    return unknownPath(near(path))
  }
}
