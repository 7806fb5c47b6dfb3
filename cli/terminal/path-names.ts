/** Completes paths, as shells do it for programs of which they know nothing. */
import { readdirSync, statSync } from 'node:fs'

const namesMax = 200

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** The names in the folder, the hidden ones only if they are asked for; none if it cannot be read. */
function namesIn(folder: string, beginning: string): string[] {
  try {
    const names = readdirSync(folder || '.').filter((name) => name.startsWith(beginning))
    return names.filter((name) => beginning.startsWith('.') || !name.startsWith('.')).slice(0, namesMax)
  } catch {
    return []
  }
}

/**
 * The paths that begin with what was typed, folders with a slash at their end. In place of a single folder what is in
 * it: a shell ends the word at the only completion.
 */
export function pathsLike(typed: string): string[] {
  const at = typed.lastIndexOf('/') + 1
  const folder = typed.slice(0, at)
  const found = namesIn(folder, typed.slice(at)).map((name) => `${folder}${name}`)
  const paths = found.map((path) => (isFolder(path) ? `${path}/` : path))
  const [only] = paths
  if (paths.length !== 1 || !only?.endsWith('/')) return paths
  const inside = namesIn(only, '').map((name) => `${only}${name}`)
  return inside.length === 0 ? paths : inside.map((path) => (isFolder(path) ? `${path}/` : path))
}
